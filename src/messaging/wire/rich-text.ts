import type { Token, Tokens } from 'marked';
import { isUnreadable, lexMarkdown } from './markdown.js';

type Json = Record<string, unknown>;
type Style = Readonly<Record<string, true>>;

const MAX_INDENT = 8;
const BETWEEN_PARAGRAPHS = { type: 'text', text: '\n\n' };

/** Mentions in a text, as messages write them. */
const MENTION =
  /<(?:@([UW][0-9A-Z]+)|#([CDG][0-9A-Z]+)|!subteam\^(S[0-9A-Z]+)|!(here|channel|everyone))(?:\|[^<>\n]*)?>/g;

/** Markdown as the elements of a `rich_text` block (docs/reference/chat.md#streams). Empty for a text of nothing but blanks. */
export function toRichText(markdown: string): Json[] {
  if (isUnreadable(markdown)) return [{ type: 'rich_text_section', elements: mentions(markdown, {}) }];
  return RichText.none.with(lexMarkdown(markdown)).all;
}

/** Elements made of tokens: paragraphs that follow each other share a section. */
export class RichText {
  static readonly none = new RichText([], []);

  private constructor(
    private readonly elements: Json[],
    /** What the next paragraph joins. */
    private section: Json[],
  ) {}

  /** With more tokens behind those that it was made of, which stay as they are. */
  with(tokens: readonly Token[]): RichText {
    const more = new RichText([...this.elements], this.section);
    for (const token of tokens) more.add(token);
    return more;
  }

  get all(): Json[] {
    const whole = new RichText([...this.elements], this.section);
    whole.endSection();
    return whole.elements;
  }

  private add(token: Token): void {
    switch (token.type) {
      case 'space':
        return;
      case 'heading':
        return this.paragraph(inline(token.tokens ?? [], { bold: true }));
      case 'paragraph':
        return this.paragraph(inline(token.tokens ?? [], {}));
      case 'code':
        return this.element({
          type: 'rich_text_preformatted',
          elements: [{ type: 'text', text: (token as Tokens.Code).text }],
        });
      case 'blockquote':
        return this.element({ type: 'rich_text_quote', elements: paragraphs(token.tokens ?? []) });
      case 'list':
        this.endSection();
        return this.list(token as Tokens.List, 0);
      default:
        return this.paragraph(token.type === 'text' ? spans(token, {}) : mentions(token.raw.trim(), {}));
    }
  }

  private paragraph(elements: Json[]): void {
    if (elements.length === 0) return;
    this.section = this.section.length === 0 ? elements : [...this.section, BETWEEN_PARAGRAPHS, ...elements];
  }

  private endSection(): void {
    if (this.section.length > 0) this.elements.push({ type: 'rich_text_section', elements: merged(this.section) });
    this.section = [];
  }

  private element(element: { type: string; elements: Json[] }): void {
    this.endSection();
    if (element.elements.length > 0) this.elements.push(element);
  }

  /** A list inside an item follows it as a list of its own, and the outer one goes on behind it. */
  private list({ ordered, start, items }: Tokens.List, indent: number): void {
    const first = ordered ? Number(start === '' ? 1 : start) - 1 : 0;
    let begun = 0;
    let sections: Json[] = [];
    const end = (until: number): void => {
      if (sections.length > 0) {
        const offset = ordered ? first + begun : 0;
        this.elements.push({
          type: 'rich_text_list',
          style: ordered ? 'ordered' : 'bullet',
          indent: Math.min(indent, MAX_INDENT),
          ...(offset > 0 && { offset }),
          elements: sections,
        });
      }
      begun = until;
      sections = [];
    };
    for (const [i, item] of items.entries()) {
      const inner = item.tokens.filter((token): token is Tokens.List => token.type === 'list');
      sections.push({
        type: 'rich_text_section',
        elements: paragraphs(item.tokens.filter(({ type }) => type !== 'list')),
      });
      if (inner.length === 0) continue;
      end(i + 1);
      for (const list of inner) this.list(list, indent + 1);
    }
    end(items.length);
  }
}

/** Blocks as one run of inline elements, for quotes and items, which have no blocks inside. */
function paragraphs(tokens: readonly Token[]): Json[] {
  const all: Json[] = [];
  for (const token of tokens) {
    if (token.type === 'space') continue;
    const elements =
      token.type === 'paragraph' || token.type === 'text' || token.type === 'heading'
        ? spans(token, token.type === 'heading' ? { bold: true } : {})
        : mentions(token.raw.trim(), {});
    if (elements.length > 0) all.push(...(all.length > 0 ? [BETWEEN_PARAGRAPHS] : []), ...elements);
  }
  return merged(all);
}

const spans = (token: Token, style: Style): Json[] => {
  const { tokens, text } = token as Tokens.Text;
  return tokens ? inline(tokens, style) : mentions(text, style);
};

const inline = (tokens: readonly Token[], style: Style): Json[] =>
  merged(tokens.flatMap((token) => span(token, style)));

function span(token: Token, style: Style): Json[] {
  const within = (more: Style): Json[] => inline((token as Tokens.Generic).tokens ?? [], { ...style, ...more });
  switch (token.type) {
    case 'strong':
      return within({ bold: true });
    case 'em':
      return within({ italic: true });
    case 'del':
      return within({ strike: true });
    case 'codespan':
      return [written((token as Tokens.Codespan).text, { ...style, code: true })];
    case 'link':
    case 'image': {
      const { href, text } = token as Tokens.Link;
      const isBare = text === href || href === `mailto:${text}` || text === '';
      return [{ type: 'link', url: href, ...(!isBare && { text }), ...styled(style) }];
    }
    case 'br':
      return [written('\n', style)];
    case 'escape':
    case 'text':
      return spans(token, style);
    default:
      return mentions(token.raw, style);
  }
}

/** A text, and the mentions in it. */
function mentions(text: string, style: Style): Json[] {
  const elements: Json[] = [];
  let done = 0;
  for (const found of text.matchAll(MENTION)) {
    const [whole, user, channel, group, range] = found;
    if (found.index > done) elements.push(written(text.slice(done, found.index), style));
    done = found.index + whole.length;
    const mention = user
      ? { type: 'user', user_id: user }
      : channel
        ? { type: 'channel', channel_id: channel }
        : group
          ? { type: 'usergroup', usergroup_id: group }
          : { type: 'broadcast', range };
    elements.push({ ...mention, ...styled(style) });
  }
  if (done < text.length) elements.push(written(text.slice(done), style));
  return elements;
}

const written = (text: string, style: Style): Json => ({ type: 'text', text, ...styled(style) });

const styled = (style: Style): Json => (Object.keys(style).length > 0 ? { style } : {});

/** Neighbouring texts of one style are one, but for what stands between paragraphs. */
function merged(elements: readonly Json[]): Json[] {
  const result: Json[] = [];
  for (const element of elements) {
    const last = result.at(-1);
    const isSame =
      last?.['type'] === 'text' &&
      element['type'] === 'text' &&
      last !== BETWEEN_PARAGRAPHS &&
      element !== BETWEEN_PARAGRAPHS &&
      JSON.stringify(last['style']) === JSON.stringify(element['style']);
    if (isSame) result[result.length - 1] = { ...last, text: `${String(last['text'])}${String(element['text'])}` };
    else result.push(element);
  }
  return result;
}
