import unicodes from '../../../kernel/text/emoji-unicodes.json' with { type: 'json' };

/** The short names of emoji, by their code points in hex; the shortest of several. */
const names = new Map<string, string>();
for (const [name, unicode] of Object.entries(unicodes)) {
  const known = names.get(bare(unicode));
  if (known === undefined || name.length < known.length) names.set(bare(unicode), name);
}

/** Code points without the selector of a coloured picture, which may be left out. */
function bare(unicode: string): string {
  return unicode.replace(/-?fe0f/g, '');
}

/** `+1` for `+1`, `:+1:` and `👍`; undefined for what is no name. */
export function emojiName(given: string): string | undefined {
  const text = given.trim().replace(/^:(.+):$/, '$1');
  const points = [...text].map((character) => (character.codePointAt(0) as number).toString(16).padStart(4, '0'));
  return names.get(bare(points.join('-'))) ?? (/^[a-z0-9_+'-]{1,100}$/i.test(text) ? text.toLowerCase() : undefined);
}
