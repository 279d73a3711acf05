const HEADER_BYTES = 20;
const TEXT_OID = 25;

/**
 * A `text[]` parameter in the form that the server stores (https://www.postgresql.org/docs/current/protocol-overview.html#PROTOCOL-FORMAT-CODES),
 * for many or long texts: in an array's text form each would be quoted here, and scanned and unquoted there.
 * @param texts without U+0000, which PostgreSQL takes nowhere
 */
export function textArray(texts: readonly string[]): Buffer {
  const lengths = texts.map((text) => Buffer.byteLength(text));
  const array = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + 4 + length, HEADER_BYTES));
  array.writeInt32BE(1, 0); // dimensions
  array.writeInt32BE(0, 4); // without nulls
  array.writeInt32BE(TEXT_OID, 8);
  array.writeInt32BE(texts.length, 12);
  array.writeInt32BE(1, 16); // the first index
  let at = HEADER_BYTES;
  texts.forEach((text, n) => {
    at = array.writeInt32BE(lengths[n] as number, at);
    at += array.write(text, at, 'utf8');
  });
  return array;
}

/** An array parameter of numbers, in its text form: none of them needs quotes. */
export const numberArray = (numbers: readonly (number | null)[]): string =>
  `{${numbers.map((number) => number ?? 'NULL').join(',')}}`;
