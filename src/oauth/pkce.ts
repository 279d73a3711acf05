import { createHash } from 'node:crypto';
import { isSameSecret } from '../kernel/ids/same-secret.js';

/** RFC 7636, 4.1. */
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

/** Whether a verifier is the one that a code was asked for with. */
export function provesChallenge(verifier: string, challenge: string, method: 'S256' | 'plain'): boolean {
  if (!VERIFIER.test(verifier)) return false;
  const derived = method === 'plain' ? verifier : createHash('sha256').update(verifier).digest('base64url');
  return isSameSecret(derived, challenge);
}

export const isChallenge = (text: string): boolean => /^[A-Za-z0-9._~-]{43,128}$/.test(text);
