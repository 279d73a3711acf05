/**
 * A JSON value in the form of RFC 8785: no blanks, members in the order of their names' UTF-16 code units, numbers and
 * strings as ECMAScript writes them. Equal values have equal texts. Members that are undefined are left out, as by
 * `JSON.stringify`.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((one) => canonicalJson(one ?? null)).join()}]`;
  const of = value as Readonly<Record<string, unknown>>;
  let members = '';
  for (const name of Object.keys(value).sort()) {
    if (of[name] === undefined) continue;
    members += `${members === '' ? '' : ','}${JSON.stringify(name)}:${canonicalJson(of[name])}`;
  }
  return `{${members}}`;
}
