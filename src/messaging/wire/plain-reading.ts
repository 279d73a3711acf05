import { isJsonObject } from './text.js';

type Json = Record<string, unknown>;

/**
 * The text of a message that has `rich_text` blocks and no text of its own: what they say, without styles, with mentions as
 * entities (docs/reference/blocks.md#rich-text). Empty where there is no `rich_text`.
 */
export const plainReading = (blocks: readonly unknown[]): string =>
  blocks
    .filter((block): block is Json => isJsonObject(block) && block['type'] === 'rich_text')
    .flatMap((block) => parts(block).map(partText))
    .join('\n');

/** A section, a list, a quote or a preformatted text. */
function partText(part: Json): string {
  if (part['type'] !== 'rich_text_list') return parts(part).map(elementText).join('');
  const indent = ' '.repeat(4 * Number(part['indent'] ?? 0));
  const first = Number(part['offset'] ?? 0) + 1;
  return parts(part)
    .map(
      (item, i) =>
        `${indent}${part['style'] === 'ordered' ? `${first + i}.` : '•'} ${parts(item).map(elementText).join('')}`,
    )
    .join('\n');
}

function elementText(element: Json): string {
  const value = (name: string): string => String(element[name] ?? '');
  switch (element['type']) {
    case 'text':
      return escaped(value('text'));
    case 'link':
      return element['text'] ? `<${value('url')}|${escaped(value('text'))}>` : `<${value('url')}>`;
    case 'emoji':
      return `:${value('name')}:`;
    case 'user':
      return `<@${value('user_id')}>`;
    case 'usergroup':
      return `<!subteam^${value('usergroup_id')}>`;
    case 'channel':
      return `<#${value('channel_id')}>`;
    case 'broadcast':
      return `<!${value('range')}>`;
    case 'date':
      return escaped(value('fallback') || value('timestamp'));
    case 'color':
      return value('value');
    default:
      return '';
  }
}

const parts = ({ elements }: Json): Json[] => (Array.isArray(elements) ? elements.filter(isJsonObject) : []);

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
