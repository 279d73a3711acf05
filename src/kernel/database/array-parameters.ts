/**
 * The binary header: dimensions, whether there are nulls, type of the elements; then length and first index of the one
 * dimension.
 */
const HEADER_BYTES = 20;
/** An array without elements has no dimensions. */
const EMPTY_HEADER_BYTES = 12;
const TEXT_OID = 25;
const NULL_LENGTH = -1;

/**
 * A `text[]` parameter in PostgreSQL's binary format
 * (https://www.postgresql.org/docs/current/protocol-overview.html#PROTOCOL-FORMAT-CODES), for many or long texts: the
 * text format would quote each one here and scan and unquote it there, and JSON would be parsed twice by the server.
 * @param texts without U+0000, which PostgreSQL does not accept
 */
export function textArray(texts: readonly (string | null)[]): Buffer {
  let bytes = HEADER_BYTES;
  for (const text of texts) bytes += 4 + (text === null ? 0 : Buffer.byteLength(text));
  const array = Buffer.allocUnsafe(texts.length === 0 ? EMPTY_HEADER_BYTES : bytes);
  array.writeInt32BE(texts.length === 0 ? 0 : 1, 0); // dimensions
  array.writeInt32BE(texts.includes(null) ? 1 : 0, 4);
  array.writeInt32BE(TEXT_OID, 8);
  if (texts.length === 0) return array;
  array.writeInt32BE(texts.length, 12);
  array.writeInt32BE(1, 16); // the first index
  let at = HEADER_BYTES;
  for (const text of texts) {
    const length = text === null ? NULL_LENGTH : array.write(text, at + 4);
    array.writeInt32BE(length, at);
    at += 4 + Math.max(length, 0);
  }
  return array;
}

/** An array parameter of numbers in text format: none of them needs quotes. */
export const numberArray = (numbers: readonly (number | null)[]): string =>
  `{${numbers.map((number) => number ?? 'NULL').join(',')}}`;
