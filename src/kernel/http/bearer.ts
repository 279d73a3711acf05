const SCHEME = /^bearer +/i;

/** Whether an `Authorization` header names the scheme, in any case (docs/reference/chat.md#tokens). */
export const isBearer = (header: string): boolean => SCHEME.test(header);

/** What a header, or a credential that may have the scheme before it, says behind the scheme. */
export const withoutBearer = (header: string): string => header.replace(SCHEME, '');

/** The credential of an `Authorization` header with the scheme; an empty one, or one with spaces in it, is none. */
export const bearer = (header: string | undefined): string | undefined =>
  header !== undefined && isBearer(header) ? /^(\S+) *$/.exec(withoutBearer(header))?.[1] : undefined;
