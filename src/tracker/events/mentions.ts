const CODE = /```[\s\S]*?(?:```|$)|`[^`\n]*`/g;
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/** Whether a text can mention anybody. */
export const mayMention = (text: string): boolean => text.includes('@') || text.includes('/profiles/');

/** Whether a text mentions a user: `@name` at a word boundary outside code, or the address of the user's profile. */
export function mentionsUser(text: string, { displayName, urlKey }: { displayName: string; urlKey: string }): boolean {
  if (!mayMention(text)) return false;
  const name = `${escaped(displayName)}(?![\\w-])`;
  const address = `https?://[^\\s()<>]*/${escaped(urlKey)}/profiles/${name}`;
  return new RegExp(`(?:^|[^\\w@.-])@${name}|${address}`, 'i').test(text.replace(CODE, ' '));
}
