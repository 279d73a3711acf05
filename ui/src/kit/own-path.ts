/** Whether an address that somebody gave is a place of this app. Browsers read `//host` and `/\host` as another server. */
export const isOwnPath = (to: string): boolean => /^\/(?![/\\])[^\\\p{Cc}]*$/u.test(to);
