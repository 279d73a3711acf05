/** Marks put around a matched term. */
export const HIGHLIGHT_START = '\uE000';
export const HIGHLIGHT_END = '\uE001';

/** Simple case folding keeps positions, which lower-casing does not. */
function pattern(term: string): RegExp {
  return new RegExp(term.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'giu');
}

/** Most matches that are marked in one message, and how far into it they are looked for. */
const MAX_MARKED = 200;
const LONGEST_MARKED = 40_000;

/** The text with occurrences of the terms between U+E000 and U+E001; overlapping ones share one pair. */
export function highlight(text: string, terms: readonly string[]): string {
  const searched = text.slice(0, LONGEST_MARKED);
  const ranges: (readonly [number, number])[] = [];
  for (const term of terms) {
    if (ranges.length >= MAX_MARKED) break;
    for (const match of searched.matchAll(pattern(term))) {
      ranges.push([match.index, match.index + match[0].length]);
      if (ranges.length >= MAX_MARKED) break;
    }
  }
  ranges.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
  let result = '';
  let done = 0;
  for (let i = 0; i < ranges.length;) {
    const start = ranges[i]![0];
    let end = ranges[i]![1];
    for (i++; i < ranges.length && ranges[i]![0] < end; i++) end = Math.max(end, ranges[i]![1]);
    result += text.slice(done, start) + HIGHLIGHT_START + text.slice(start, end) + HIGHLIGHT_END;
    done = end;
  }
  return result + text.slice(done);
}
