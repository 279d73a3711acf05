import { newHex } from '../../src/kernel/ids/ids.js';

let serial = 0;
/** A name that is unique over parallel workers and runs. */
export const unique = (prefix: string): string => `${prefix}-${newHex(8)}${(serial++).toString(36)}`;
