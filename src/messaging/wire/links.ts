/** URLs in a stored text: as `<url>` or `<url|label>`, or bare where it was stored as it was sent. */
export const linksIn = (text: string): string[] => Array.from(text.matchAll(/https?:\/\/[^\s<>|]+/g), ([url]) => url);
