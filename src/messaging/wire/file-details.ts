import { isUtf8 } from 'node:buffer';
import { fileTypeOf } from './file-types.js';

/** What a file's bytes say about it, as it is stored; null: nothing more than its name says. */
export type FileDetails =
  | { readonly lines: number; readonly preview: string; readonly shownLines: number; readonly isCut: boolean }
  | { readonly width: number; readonly height: number };

/** Longer texts are not shown as snippets. */
const MAX_SNIPPET_BYTES = 1024 * 1024;
const PREVIEW_LINES = 5;
const PREVIEW_CHARACTERS = 1000;
/** What is left of a character that was cut in the middle. */
const HALF = /[\uD800-\uDBFF]$/;

export function detailsOf(name: string, bytes: Buffer): FileDetails | null {
  const type = fileTypeOf(name);
  if (type.mimetype.startsWith('image/')) return pictureSize(bytes);
  if (!type.isText || bytes.length > MAX_SNIPPET_BYTES || !isUtf8(bytes) || bytes.includes(0)) return null;
  const text = bytes.toString('utf8');
  let lines = text.endsWith('\n') || text === '' ? 0 : 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  const shown = text.slice(0, PREVIEW_CHARACTERS).replace(HALF, '').split('\n').slice(0, PREVIEW_LINES);
  const preview = shown.join('\n').replace(/\n$/, '');
  const shownLines = preview === '' ? 0 : preview.split('\n').length;
  return { lines, preview, shownLines, isCut: preview.length < text.replace(/\n$/, '').length };
}

/** In pixels, by the head of a PNG, GIF or JPEG; null for what is none of them. */
function pictureSize(bytes: Buffer): { width: number; height: number } | null {
  if (bytes.length >= 24 && bytes.toString('latin1', 1, 4) === 'PNG') {
    return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  }
  if (bytes.length >= 10 && bytes.toString('latin1', 0, 4) === 'GIF8') {
    return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  }
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xff_d8) return null;
  // segments: a marker, then a length; that of the frame has the size
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes[at + 1] as number;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
  }
  return null;
}

/** Squares, and the longest edges of what is made smaller: the first for every picture, the others for larger ones. */
const SQUARES = [64, 80, 160];
const EDGES = [360, 480, 720, 800, 960, 1024];

/** The members of the file object that come from its bytes. @param thumb the address of a smaller version */
export function wireOfDetails(details: FileDetails | null, thumb: (size: number) => string): object {
  if (details === null) return {};
  if ('lines' in details) {
    return {
      mode: 'snippet',
      lines: details.lines,
      lines_more: details.lines - details.shownLines,
      preview: details.preview,
      preview_is_truncated: details.isCut,
    };
  }
  const { width, height } = details;
  const longest = Math.max(width, height);
  const scaled = EDGES.filter((edge, i) => i === 0 || edge < longest).map((edge) => {
    const scale = Math.min(1, edge / longest);
    const side = (pixels: number): number => Math.max(1, Math.round(pixels * scale));
    return { [`thumb_${edge}`]: thumb(edge), [`thumb_${edge}_w`]: side(width), [`thumb_${edge}_h`]: side(height) };
  });
  const squares = SQUARES.map((edge) => ({ [`thumb_${edge}`]: thumb(edge) }));
  return Object.assign({ original_w: width, original_h: height }, ...squares, ...scaled) as object;
}
