import { newAlphanumeric } from '../../../kernel/ids/ids.js';

export const RELEASE_KEY_PREFIX = 'svc_rel_';
const LENGTH = 40;
const SHOWN = 12;

export const newReleaseKey = (): string => `${RELEASE_KEY_PREFIX}${newAlphanumeric(LENGTH)}`;

/** What is shown of a key. */
export const startOf = (token: string): string => token.slice(0, SHOWN);
