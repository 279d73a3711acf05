import type { IncomingHttpHeaders } from 'node:http';
import { ownTurn } from '../../kernel/clock/long-work.js';
import { isSigned, isSignedWith } from '../../webhooks/signature-check.js';

/** Bytes that are hashed for comparison before other work gets its turn. */
const BYTES_A_STEP = 2 * 1024 * 1024;

/** The owner of the secret that signed a request; null for none. */
export async function signedBy(
  headers: IncomingHttpHeaders,
  body: Buffer,
  secrets: readonly { readonly id: string; readonly secret: string }[],
): Promise<string | null> {
  if (!isSigned(headers)) return null;
  let signed = 0;
  for (const { id, secret } of secrets) {
    if (isSignedWith(secret, headers, body)) return id;
    signed += body.length;
    if (signed < BYTES_A_STEP) continue;
    signed = 0;
    await ownTurn();
  }
  return null;
}
