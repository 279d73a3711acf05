/** People and channels by the names that a person types. */
export interface Names {
  readonly users: ReadonlyMap<string, string>;
  readonly channels: ReadonlyMap<string, string>;
}

export interface Encoded {
  readonly text: string;
  /** Typed text that will become a mention. */
  readonly mentions: readonly string[];
}

const BROADCASTS: Readonly<Record<string, string>> = {
  here: '<!here>',
  channel: '<!channel>',
  everyone: '<!everyone>',
};
const CODE = /```[\s\S]*?```|`[^`\n]+`/g;
const NAME = /[\p{L}\p{N}._-]/u;

/** Converts typed text to mrkdwn: names become ids, except in code; a backslash before `@` or `#` prevents it. */
export function encodeMentions(source: string, names: Names): Encoded {
  const mentions: string[] = [];
  let text = '';
  let at = 0;
  for (const code of source.matchAll(CODE)) {
    text += encodePlain(source.slice(at, code.index), names, mentions) + code[0];
    at = code.index + code[0].length;
  }
  text += encodePlain(source.slice(at), names, mentions);
  return { text, mentions };
}

function encodePlain(source: string, names: Names, mentions: string[]): string {
  let text = '';
  for (let at = 0; at < source.length;) {
    const character = source[at] as string;
    if (character === '\\' && (source[at + 1] === '@' || source[at + 1] === '#')) {
      text += source[at + 1];
      at += 2;
      continue;
    }
    const isStart =
      at === 0 || !(NAME.test(source[at - 1] as string) || source[at - 1] === '<' || source[at - 1] === '/');
    if ((character === '@' || character === '#') && isStart) {
      const found = longest(source, at, names);
      if (found) {
        text += found.code;
        mentions.push(source.slice(at, found.end));
        at = found.end;
        continue;
      }
    }
    text += character;
    at += 1;
  }
  return text;
}

/** The longest known name at this place: `@ann.lee` is not `@ann` if a person has that name. */
function longest(source: string, at: number, names: Names): { code: string; end: number } | null {
  let end = at + 1;
  while (end < source.length && NAME.test(source[end] as string) && end - at <= 81) end++;
  for (; end > at + 1; end--) {
    const name = source.slice(at + 1, end).toLowerCase();
    // a name ends at the end of a word, or before a dot or dash that ends a sentence
    if (end < source.length && /[\p{L}\p{N}]/u.test(source[end] as string)) continue;
    if (source[at] === '#') {
      const channel = names.channels.get(name);
      if (channel !== undefined) return { code: `<#${channel}|${name}>`, end };
      continue;
    }
    const user = names.users.get(name);
    if (user !== undefined) return { code: `<@${user}>`, end };
    const broadcast = BROADCASTS[name];
    if (broadcast !== undefined) return { code: broadcast, end };
  }
  return null;
}

/** The reverse, for editing: ids become names. */
export function decodeMentions(source: string, nameOf: (id: string) => string | undefined): string {
  return source
    .replace(/<@([UW][A-Z0-9]+)(?:\|[^>]*)?>/g, (whole, id: string) => {
      const name = nameOf(id);
      return name === undefined ? whole : `@${name}`;
    })
    .replace(/<#[CG][A-Z0-9]+\|([^>]+)>/g, (_whole, name: string) => `#${name}`)
    .replace(/<!(here|channel|everyone)>/g, (_whole, range: string) => `@${range}`)
    .replace(/<(https?:\/\/[^|>\s]+)>/g, (_whole, url: string) => url);
}
