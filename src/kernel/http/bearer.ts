/**
 * The credential of an `Authorization` header. The scheme is case-insensitive (docs/reference/chat.md#tokens); an empty
 * credential is none.
 */
export const bearer = (header: string | undefined): string | undefined =>
  header === undefined ? undefined : /^bearer +(\S+) *$/i.exec(header)?.[1];
