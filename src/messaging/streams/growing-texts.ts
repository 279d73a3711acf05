import type { Token } from 'marked';
import { isFenceOpen, linkText } from '../wire/link-text.js';
import { isUnreadable, lexForMrkdwn, lexMarkdown, mrkdwnOf, toMrkdwn } from '../wire/markdown.js';
import { RichText, toRichText } from '../wire/rich-text.js';

/** A text of a stream as it is shown. */
export interface ShownText {
  readonly elements: Record<string, unknown>[];
  readonly mrkdwn: string;
}

/** How one kind of reading is made of tokens: of those before, and of more. */
interface Kind<T> {
  readonly nothing: T;
  lex(markdown: string): readonly Token[];
  add(before: T, tokens: readonly Token[]): T;
  /** What follows would be read another way than by itself. */
  isOpen(before: T): boolean;
}

const RICH: Kind<RichText> = {
  nothing: RichText.none,
  lex: lexMarkdown,
  add: (before, tokens) => before.with(tokens),
  isOpen: () => false,
};

const MRKDWN: Kind<string> = {
  nothing: '',
  lex: lexForMrkdwn,
  add: (before, tokens) => `${before}${linkText(mrkdwnOf(tokens))}`,
  // HTML is followed by no line's end, and a link may reach over its own
  isOpen: (before) => !before.endsWith('\n') || isFenceOpen(before),
};

/** The start of a text that no further words can change, and what is read of it. */
interface Settled<T> {
  readonly length: number;
  readonly read: T;
}

interface Known {
  readonly text: string;
  readonly rich: Settled<RichText>;
  readonly mrkdwn: Settled<string>;
}

/** The most characters that are remembered of all texts; the oldest go first. */
const MAX_REMEMBERED = 2_000_000;

/**
 * Reads texts that grow as Markdown. Of a text that it has read before it reads the last paragraphs again and the rest
 * not, so that an append costs the same however long the stream is. The answer is what the whole text reads as.
 */
export class GrowingTexts {
  private readonly known = new Map<string, Known>();
  private characters = 0;

  /** @param id of the block in which the text stands; another text may have the same */
  read(id: string, text: string): ShownText {
    // a link's address may come anywhere in the text, and tokens do not stand for characters where lines end otherwise
    if (isUnreadable(text) || text.includes(']:') || text.includes('\r')) {
      return { elements: toRichText(text), mrkdwn: linkText(toMrkdwn(text)) };
    }
    const known = this.known.get(id);
    const before = known && text.startsWith(known.text) ? known : undefined;
    const rich = grown(RICH, before?.rich, text);
    const mrkdwn = grown(MRKDWN, before?.mrkdwn, text);
    this.remember(id, { text, rich: rich.settled, mrkdwn: mrkdwn.settled });
    return { elements: rich.whole.all, mrkdwn: mrkdwn.whole.trim() };
  }

  private remember(id: string, known: Known): void {
    this.characters += known.text.length - (this.known.get(id)?.text.length ?? 0);
    this.known.delete(id);
    this.known.set(id, known);
    for (const [oldest, { text }] of this.known) {
      if (this.characters <= MAX_REMEMBERED) return;
      this.known.delete(oldest);
      this.characters -= text.length;
    }
  }
}

function grown<T>(kind: Kind<T>, before: Settled<T> | undefined, text: string): { whole: T; settled: Settled<T> } {
  const start = before ?? { length: 0, read: kind.nothing };
  const tail = text.slice(start.length);
  const tokens = kind.lex(tail);
  const whole = kind.add(start.read, tokens);
  const count = settledTokens(tokens, tail);
  if (count === 0) return { whole, settled: start };
  const done = tokens.slice(0, count);
  const read = kind.add(start.read, done);
  if (kind.isOpen(read)) return { whole, settled: start };
  return { whole, settled: { length: start.length + lengthOf(done), read } };
}

const lengthOf = (tokens: readonly Token[]): number => tokens.reduce((sum, { raw }) => sum + raw.length, 0);

/**
 * How many tokens stay as they are whatever follows: those before a blank line behind which two more have begun, since
 * the last one may still grow or become a part of the one before it.
 */
function settledTokens(tokens: readonly Token[], text: string): number {
  if (lengthOf(tokens) !== text.length) return 0;
  let after = 0;
  for (let i = tokens.length - 1; i > 0; i--) {
    const { type, raw } = tokens[i] as Token;
    if (type === 'space') continue;
    after++;
    const isBehindBlank = (tokens[i - 1] as Token).raw.endsWith('\n\n');
    if (after >= 2 && isBehindBlank && /^\S/.test(raw)) return i;
  }
  return 0;
}
