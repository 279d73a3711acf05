import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';

/** Instructions of the programs of all patterns of a matcher at most. */
export const MAX_PROGRAM = 2_500;
/** What the ranges of a class of letters cost beside its instruction. */
const UNICODE_CLASS = 60;
/** Programs that are kept, in instructions of all together. */
const KEPT = 250_000;

const programs = new LRUCache<string, RE2JS>({
  maxSize: KEPT,
  sizeCalculation: (program, pattern) => program.programSize() + pattern.length,
});

/**
 * Compiles a pattern once, however often it is asked for; `priceOf` says before what it would take.
 * @throws an error of RE2JS where it is none in RE2 syntax
 */
export function programOf(pattern: string): RE2JS {
  const known = programs.get(pattern);
  if (known) return known;
  const program = RE2JS.compile(pattern);
  programs.set(pattern, program);
  return program;
}

const LETTERS = String.raw`\\[pP](?:\{[^}]*\}|.)`;
const ESCAPED = String.raw`\\(?:x\{[^}]*\}|.)`;

/** The parts of a pattern in RE2 syntax, as far as they decide what is repeated how often. */
const PART = new RegExp(
  [
    String.raw`\\Q(?<quoted>.*?)(?:\\E|$)`,
    `(?<letters>${LETTERS})`,
    ESCAPED,
    String.raw`(?<set>\[\^?)`,
    String.raw`(?<flags>\(\?[imsU-]*\))`,
    String.raw`(?<open>\((?:\?(?:P?<[^>]*>|[imsU-]*:))?)`,
    String.raw`(?<close>\))`,
    String.raw`(?<or>\|)`,
    String.raw`\{(?<least>0|[1-9]\d*)(?:,(?<most>0|[1-9]\d*)?)?\}`,
    String.raw`(?<few>[*+?])`,
    '.',
  ].join('|'),
  'suy',
);

/** A part of a set: a class, or a character or a range of them. */
const PART_OF_SET = new RegExp(
  [
    String.raw`\[:\^?[a-z]+:\]`,
    `(?<letters>${LETTERS})`,
    String.raw`\\[dDsSwW]`,
    String.raw`(?:${ESCAPED}|[^\\])(?:-(?:${ESCAPED}|[^\]\\]))?`,
  ].join('|'),
  'suy',
);

/** At least the number of instructions of a pattern's program, from its text alone: repetitions are written out. */
export function priceOf(pattern: string): number {
  const outer: number[] = [];
  /** What stands before the last thing that could be repeated (at first what an empty program has), and it. */
  let [before, last] = [3, 0];
  const next = (price: number): void => {
    before += last;
    last = price;
  };
  for (let at = 0; at < pattern.length;) {
    PART.lastIndex = at;
    const part = PART.exec(pattern);
    if (part === null) return Infinity;
    at = PART.lastIndex;
    const { quoted, letters, set, flags, open, close, or, least, most, few } = part.groups ?? {};
    if (quoted !== undefined) {
      for (const _character of quoted) next(1);
    } else if (letters !== undefined) next(UNICODE_CLASS);
    else if (set !== undefined) {
      const { price, end } = setFrom(pattern, at);
      next(price);
      at = end;
    } else if (flags !== undefined) before += 1;
    else if (open !== undefined) {
      next(0);
      outer.push(before);
      [before, last] = [0, 0];
    } else if (close !== undefined) [before, last] = [outer.pop() ?? 0, before + last + 3];
    else if (or !== undefined) next(2);
    else if (least !== undefined) {
      const times = Math.max(1, Number(least), Number(most ?? 0));
      last = times * (last + 1) + 1;
    } else if (few !== undefined) last += 2;
    else next(1);
  }
  return outer.reduce((sum, price) => sum + price, before + last);
}

/** The price of the set that begins before `at`, and where it ends; a `]` is no end where it stands first. */
function setFrom(pattern: string, at: number): { price: number; end: number } {
  let price = 1;
  for (let isFirst = true; at < pattern.length && (isFirst || pattern[at] !== ']'); isFirst = false) {
    PART_OF_SET.lastIndex = at;
    const part = PART_OF_SET.exec(pattern);
    if (part === null) break;
    at = PART_OF_SET.lastIndex;
    if (part.groups?.['letters'] !== undefined) price += UNICODE_CLASS;
  }
  return { price, end: at + 1 };
}
