/** Whether an address is a path of this app. Browsers read `//host` and `/\host` as another server. */
export const isOwnPath = (to: string): boolean => /^\/(?![/\\])[^\\\p{Cc}]*$/u.test(to);
