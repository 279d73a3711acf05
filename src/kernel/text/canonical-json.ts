/**
 * A JSON value in the form of RFC 8785: no blanks, members in the order of their names' UTF-16 code units, numbers and
 * strings as ECMAScript writes them. Equal values have equal texts. Members that are undefined are left out, as by
 * `JSON.stringify`.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((one) => canonicalJson(one ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, one]) => one !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, one]) => `${JSON.stringify(name)}:${canonicalJson(one)}`);
  return `{${members.join(',')}}`;
}
