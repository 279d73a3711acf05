/** Values by their names; what is undefined is left out. */
export type QueryFields = Readonly<Record<string, string | undefined>>;

/** The text of a URL's query, without its question mark. */
export function queryText(fields: QueryFields): string {
  const sent = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);
  return new URLSearchParams(sent).toString();
}

/** A URL with more in its query. */
export function withQuery(text: string, fields: QueryFields): string {
  const url = new URL(text);
  url.search = [url.search.slice(1), queryText(fields)].filter((part) => part !== '').join('&');
  return url.href;
}
