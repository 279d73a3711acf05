import unicodes from '../../kernel/text/emoji-unicodes.json' with { type: 'json' };

const known: ReadonlySet<string> = new Set(Object.keys(unicodes));

/**
 * A known short name without colons, optionally with a skin tone: `thumbsup::skin-tone-3`
 * (docs/reference/chat.md#emoji).
 */
export function isEmojiName(name: string): boolean {
  return known.has(name) || (/::skin-tone-[2-6]$/.test(name) && known.has(name.slice(0, -'::skin-tone-2'.length)));
}
