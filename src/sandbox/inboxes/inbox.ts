import { RestError } from '../../kernel/http/http-error.js';
import type { InboxBody } from './inboxes.dto.js';

/** The most bytes of all answers of an inbox together. */
const MAX_BYTES = 64 * 1024;

/** An inbox's answer to one request. */
export interface InboxAnswer {
  readonly status: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly delay_ms?: number;
  /** Whether a handshake is answered with its challenge. */
  readonly challenge?: true;
}

/** @throws RestError 400 where the answers are too long in all */
export function answersOf({ answers }: InboxBody): InboxAnswer[] {
  const read = answers.map(({ status, body, headers, delay_ms: delayMs, challenge }) => ({
    status,
    ...(body !== undefined && { body }),
    ...(headers !== undefined && { headers }),
    ...(delayMs !== undefined && { delay_ms: delayMs }),
    ...(challenge === true && { challenge }),
  }));
  if (read.reduce((sum, answer) => sum + bytesOf(answer), 0) > MAX_BYTES) {
    throw new RestError(400, `answers: must have at most ${MAX_BYTES} bytes in all`);
  }
  return read.length > 0 ? read : [{ status: 200 }];
}

const bytesOf = ({ body = '', headers = {} }: InboxAnswer): number =>
  Buffer.byteLength(body) +
  Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + Buffer.byteLength(value), 0);

/** The challenge of a handshake, if the request is one. */
export function challengeOf(body: Buffer): string | undefined {
  if (body.length > 4_096 || !body.includes('url_verification')) return undefined;
  try {
    const { type, challenge } = JSON.parse(body.toString('utf8')) as Record<string, unknown>;
    const isOne = type === 'url_verification' && typeof challenge === 'string' && /^[\w-]{1,200}$/.test(challenge);
    return isOne ? challenge : undefined;
  } catch {
    return undefined;
  }
}
