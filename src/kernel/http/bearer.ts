const SCHEME = /^bearer +/i;

/** Whether an `Authorization` header names the scheme, in any case (docs/reference/chat.md#tokens). */
export const isBearer = (header: string): boolean => SCHEME.test(header);

/** The rest of a header, or of a credential with an optional scheme, after the scheme. */
export const withoutBearer = (header: string): string => header.replace(SCHEME, '');

/** The credential of an `Authorization` header with this scheme; an empty one, or one with spaces in it, is invalid. */
export const bearer = (header: string | undefined): string | undefined =>
  header !== undefined && isBearer(header) ? /^(\S+) *$/.exec(withoutBearer(header))?.[1] : undefined;
