/** Scheme, host and port of a URL, whose rest may hold secrets; undefined for what is none, such as a socket's. */
export const originOf = (url: unknown): string | undefined =>
  typeof url === 'string' && URL.canParse(url) ? new URL(url).origin : undefined;
