/** What is left as it is: code, and what is between angle brackets already. */
const KEPT = /```[\s\S]*?(?:```|$)|`[^`\n]+`|<[^<>\n]*>/g;

/** Runs are bounded, so that a long word costs no more than its length. */
const LINK =
  /https?:\/\/[^\s<>|`]{1,4000}|(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}\b/gi;

const CLOSING = new Set('.,;:!?)\'"“”‘’«»');

/** Without the punctuation and quotes that follow it. */
function bare(link: string): string {
  let end = link.length;
  while (end > 0 && CLOSING.has(link[end - 1] as string)) end--;
  return link.slice(0, end);
}

function linked(found: string): string {
  if (!/^https?:\/\//i.test(found)) return `<mailto:${found}|${found}>`;
  const link = bare(found);
  return /^https?:\/\/$/i.test(link) ? found : `<${link}>${found.slice(link.length)}`;
}

/** Applies `change` to the parts of a text that are neither code nor marked up. */
export function outsideMarkup(text: string, change: (part: string) => string): string {
  let result = '';
  let done = 0;
  for (const kept of text.matchAll(KEPT)) {
    result += change(text.slice(done, kept.index)) + kept[0];
    done = kept.index + kept[0].length;
  }
  return result + change(text.slice(done));
}

/** Whether a fence is open at the end of a text, so that what follows it would be code. */
export function isFenceOpen(text: string): boolean {
  const last = [...text.matchAll(KEPT)].at(-1)?.[0] ?? '';
  return last.startsWith('```') && (last.length < 6 || !last.endsWith('```'));
}

/** A message's text as it is stored: bare URLs and e-mail addresses become links. */
export const linkText = (text: string): string =>
  /https?:\/\/|@/i.test(text) ? outsideMarkup(text, (part) => part.replace(LINK, linked)) : text;
