/** What an organization's url key looks like once lower-cased (docs/reference/tracker.md#organization). */
export const URL_KEY = /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/;
/** Longest one, in characters. */
export const URL_KEY_LENGTH = 32;
/** Paths of the server and of the web address space that no organization may sit on. */
export const RESERVED_URL_KEYS = ['api', 'graphql', 'socket.io', 'settings', 'login', 'signup'];

export const isUrlKey = (text: string): boolean => URL_KEY.test(text) && !RESERVED_URL_KEYS.includes(text);

/** The nearest text of the right form; `org` where nothing is left. It may be reserved. */
export const cutToUrlKey = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .slice(0, URL_KEY_LENGTH)
    .replace(/^-+|-+$/g, '') || 'org';
