import { createHash, timingSafeEqual } from 'node:crypto';

const digest = (secret: string | Buffer): Buffer => createHash('sha256').update(secret).digest();

/** Compares secrets in constant time, whatever their lengths. */
export const isSameSecret = (a: string | Buffer, b: string | Buffer): boolean => timingSafeEqual(digest(a), digest(b));
