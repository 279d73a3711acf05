import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKOUT } from './image.js';

/** A fenced block of a document. */
export interface Snippet {
  /** `README.md#start/2`: the second block below that heading. */
  readonly key: string;
  /** The info string of the fence: `sh`, `js`, … */
  readonly language: string;
  readonly text: string;
}

export const textOf = (document: string): string => readFileSync(join(CHECKOUT, document), 'utf8');

/** All fenced blocks of a document that state their language. */
export function snippetsOf(document: string): Snippet[] {
  const lines = textOf(document).split('\n');
  const found: Snippet[] = [];
  let heading = '';
  let count = 0;
  for (let i = 0; i < lines.length; i++) {
    const [, title] = /^#+ (.+)$/.exec(lines[i] as string) ?? [];
    if (title !== undefined) {
      heading = title
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-');
      count = 0;
    }
    const [, language] = /^```(\w*)$/.exec(lines[i] as string) ?? [];
    if (language === undefined) continue;
    const end = lines.indexOf('```', i + 1);
    const text = lines.slice(i + 1, end).join('\n');
    i = end;
    if (language !== '') found.push({ key: `${document}#${heading}/${++count}`, language, text });
  }
  return found;
}

/** A block by its key. @throws Error when the document has no such block */
export function snippet(key: string): Snippet {
  const found = snippetsOf(key.split('#')[0] as string).find((each) => each.key === key);
  if (!found) throw new Error(`no document has a block ${key}`);
  return found;
}
