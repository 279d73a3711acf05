import unicodes from '../../kernel/text/emoji-unicodes.json' with { type: 'json' };

const known: ReadonlyMap<string, string> = new Map(Object.entries(unicodes));
const pictured: ReadonlySet<string> = new Set(known.values());

const TONES = ['1f3fb', '1f3fc', '1f3fd', '1f3fe', '1f3ff'];

/** Code points of a known emoji in hex, joined by `-`; undefined for others. @param name with or without colons */
export function unicodeOf(name: string): string | undefined {
  const [, short, tone] = /^:?([^:]+)(?:::skin-tone-([2-6]))?:?$/.exec(name) ?? [];
  const unicode = short === undefined ? undefined : known.get(short);
  if (unicode === undefined || tone === undefined) return unicode;
  const [first, ...rest] = unicode.split('-');
  return [first, TONES[Number(tone) - 2], ...(rest[0] === 'fe0f' ? rest.slice(1) : rest)].join('-');
}

/** Whether there is a picture of these code points, skin tones aside. */
export const isPictured = (unicode: string): boolean =>
  pictured.has(unicode) ||
  pictured.has(
    unicode
      .split('-')
      .filter((point) => !TONES.includes(point))
      .join('-'),
  );

/** The picture's address, on this service. */
export const pictureUrl = (baseUrl: string, unicode: string): string => `${baseUrl}/emoji/${unicode}.svg`;

/** `icons` of a customised message, by an emoji or by a URL. */
export function iconsOf(
  wanted: { emoji?: string | null | undefined; url?: string | null | undefined },
  baseUrl: string,
): Record<string, string> | undefined {
  const { emoji, url } = wanted;
  if (emoji) {
    const unicode = unicodeOf(emoji);
    return unicode === undefined ? { emoji } : { emoji, image_64: pictureUrl(baseUrl, unicode) };
  }
  return url ? { image_36: url, image_48: url, image_72: url } : undefined;
}
