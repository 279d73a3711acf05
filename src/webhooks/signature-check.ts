import { isSameSecret } from '../kernel/ids/same-secret.js';
import { slackSignature, svcSignature } from './signing.js';

type Headers = Readonly<Record<string, unknown>>;

/** What a receiver that holds the secret makes of a request. */
export type SignatureCheck = 'accepted' | 'wrong_signature' | 'old_timestamp';

/** How old the timestamp of a request may be, in milliseconds: five minutes for chat, one for the tracker. */
const OLDEST = { chat: 300_000, tracker: 60_000 };

const textOf = (headers: Headers, name: string): string | undefined => {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
};

/** Whether a request claims to be signed (docs/reference/events.md#signing, docs/reference/tracker-webhooks.md#delivery). */
export const isSigned = (headers: Headers): boolean =>
  (textOf(headers, 'x-slack-signature') !== undefined && textOf(headers, 'x-slack-request-timestamp') !== undefined) ||
  plainOf(headers) !== undefined;

/** Whether this secret signed these exact bytes. */
export function isSignedWith(secret: string, headers: Headers, body: string | Buffer): boolean {
  const [slack, timestamp] = [textOf(headers, 'x-slack-signature'), textOf(headers, 'x-slack-request-timestamp')];
  if (slack !== undefined && timestamp !== undefined) {
    return isSameSecret(slackSignature(secret, timestamp, body), slack);
  }
  const plain = plainOf(headers);
  return plain !== undefined && isSameSecret(svcSignature(secret, body), plain);
}

/**
 * As receivers check it: the bytes, then the age of the timestamp.
 * @param wallMs when it arrived, by real time
 * @returns null for what is not signed, as over a socket
 */
export function checkSignature(
  secret: string,
  { headers, body }: { readonly headers: Headers; readonly body: string | Buffer },
  wallMs: number,
): SignatureCheck | null {
  if (!isSigned(headers)) return null;
  if (!isSignedWith(secret, headers, body)) return 'wrong_signature';
  const seconds = textOf(headers, 'x-slack-request-timestamp');
  const sentMs = seconds === undefined ? Number(textOf(headers, 'linear-timestamp')) : Number(seconds) * 1000;
  const oldest = seconds === undefined ? OLDEST.tracker : OLDEST.chat;
  return Math.abs(wallMs - sentMs) > oldest ? 'old_timestamp' : 'accepted';
}

const plainOf = (headers: Headers): string | undefined =>
  textOf(headers, 'svc-signature') ?? textOf(headers, 'linear-signature');
