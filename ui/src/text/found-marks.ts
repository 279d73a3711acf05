/** A search marks what it found in a text: docs/reference/chat.md#search */
export const FOUND_START = '\ue000';
export const FOUND_END = '\ue001';

/** What a reader sees as one piece: a link, a mention, an emoji, an escaped character. */
const PIECE = /<[^<>\n]+>|https?:\/\/[^\s<>|]+|:[a-z0-9_+'-]+(?:::skin-tone-[2-6])?:|&(?:lt|gt|amp);/g;

const MARK = /[\ue000\ue001]/g;

/** The text without its marks, and for each of its characters whether it was between two of them. */
function unmarked(text: string): { plain: string; isFound: boolean[] } {
  let plain = '';
  const isFound: boolean[] = [];
  let isOpen = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    if (character === FOUND_START) isOpen = true;
    else if (character === FOUND_END) isOpen = false;
    else {
      plain += character;
      isFound.push(isOpen);
    }
  }
  return { plain, isFound };
}

/**
 * The same text with marks that never stand within an emoji, a link or a mention, which they would break: where a part
 * of one was found (`tada` in `:tada:`), all of it is marked.
 */
export function markWholePieces(text: string): string {
  if (!text.includes(FOUND_START)) return text;
  const { plain, isFound } = unmarked(text);
  const marked = (from: number, to: number): string => {
    let result = '';
    for (let at = from; at < to; at++) {
      if (isFound[at] && (at === from || !isFound[at - 1])) result += FOUND_START;
      result += plain[at];
      if (isFound[at] && (at === to - 1 || !isFound[at + 1])) result += FOUND_END;
    }
    return result;
  };
  let result = '';
  let done = 0;
  for (const { 0: piece, index } of plain.matchAll(PIECE)) {
    const end = index + piece.length;
    const isHit = isFound.slice(index, end).includes(true);
    result += marked(done, index) + (isHit ? FOUND_START + piece + FOUND_END : piece);
    done = end;
  }
  return result + marked(done, plain.length);
}

/** The parts of a text: those at odd places were found. */
export const partsOf = (text: string): string[] =>
  text.split(/\ue000([^\ue001]*)\ue001/).map((part) => part.replace(MARK, ''));
