import type { IncomingHttpHeaders } from 'node:http';
import { ownTurn } from '../../kernel/clock/long-work.js';
import { slackSignature, svcSignature } from '../../webhooks/signing.js';
import { isSameSecret } from '../../kernel/ids/same-secret.js';

/** Bytes that are hashed for comparison before other work gets its turn. */
const BYTES_A_STEP = 2 * 1024 * 1024;

/** The owner of the secret that signed a request; null for none. */
export async function signedBy(
  headers: IncomingHttpHeaders,
  body: Buffer,
  secrets: readonly { readonly id: string; readonly secret: string }[],
): Promise<string | null> {
  const text = (name: string): string | undefined => {
    const value = headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  const [slack, timestamp] = [text('x-slack-signature'), text('x-slack-request-timestamp')];
  const plain = text('svc-signature') ?? text('linear-signature');
  if ((slack === undefined || timestamp === undefined) && plain === undefined) return null;
  let signed = 0;
  for (const { id, secret } of secrets) {
    if (slack !== undefined && timestamp !== undefined) {
      if (isSameSecret(slackSignature(secret, timestamp, body), slack)) return id;
    } else if (plain !== undefined && isSameSecret(svcSignature(secret, body), plain)) return id;
    signed += body.length;
    if (signed < BYTES_A_STEP) continue;
    signed = 0;
    await ownTurn();
  }
  return null;
}
