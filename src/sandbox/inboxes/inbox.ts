import { RestError } from '../../kernel/http/http-error.js';
import { headers as readHeaders } from '../faults/fault.js';
import { isObject } from '../matchers/matcher.js';

const MOST_ANSWERS = 100;
/** Texts of all answers of an inbox together, in bytes. */
const MOST_BYTES = 64 * 1024;
const MOST_DELAY_MS = 30_000;

/** What an inbox says to one request. */
export interface InboxAnswer {
  readonly status: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly delay_ms?: number;
  /** A handshake gets its challenge back. */
  readonly challenge?: true;
}

export interface NewInbox {
  readonly name: string | null;
  readonly answers: readonly InboxAnswer[];
  readonly challenge: boolean;
}

const refuse = (path: string, expected: string): never => {
  throw new RestError(400, `${path}: ${expected}`);
};

/** @throws RestError 400 with the path of what is wrong */
export function readInbox(body: Readonly<Record<string, unknown>>): NewInbox {
  for (const key of Object.keys(body)) {
    if (!['name', 'answers', 'challenge'].includes(key)) refuse(key, 'no such field');
  }
  const { name = null, answers = [], challenge = false } = body;
  if (name !== null && !(typeof name === 'string' && name !== '' && name.length <= 80)) {
    return refuse('name', 'must be a text of 1 to 80 characters');
  }
  if (typeof challenge !== 'boolean') return refuse('challenge', 'must be true or false');
  if (!Array.isArray(answers) || answers.length > MOST_ANSWERS) {
    return refuse('answers', `must be an array of at most ${MOST_ANSWERS}`);
  }
  const read = answers.map((answer, i) => readAnswer(answer, `answers[${i}]`));
  if (read.reduce((sum, answer) => sum + bytesOf(answer), 0) > MOST_BYTES) {
    return refuse('answers', `must have at most ${MOST_BYTES} bytes in all`);
  }
  return { name: name as string | null, answers: read.length > 0 ? read : [{ status: 200 }], challenge };
}

function readAnswer(answer: unknown, path: string): InboxAnswer {
  if (!isObject(answer)) return refuse(path, 'must be an object');
  for (const key of Object.keys(answer)) {
    if (!['status', 'body', 'headers', 'delay_ms', 'challenge'].includes(key))
      refuse(`${path}.${key}`, 'no such field');
  }
  const { status = 200, body, headers, delay_ms: delayMs, challenge } = answer;
  if (body !== undefined && typeof body !== 'string') refuse(`${path}.body`, 'must be a text');
  if (challenge !== undefined && typeof challenge !== 'boolean') refuse(`${path}.challenge`, 'must be true or false');
  return {
    status: whole(status, `${path}.status`, [200, 599]),
    ...(body !== undefined && { body: body as string }),
    ...(headers !== undefined && { headers: readHeaders(headers, `${path}.headers`) }),
    ...(delayMs !== undefined && { delay_ms: whole(delayMs, `${path}.delay_ms`, [0, MOST_DELAY_MS]) }),
    ...(challenge === true && { challenge }),
  };
}

function whole(value: unknown, path: string, [min, max]: readonly [number, number]): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
  return refuse(path, `must be a whole number from ${min} to ${max}`);
}

const bytesOf = ({ body = '', headers = {} }: InboxAnswer): number =>
  Buffer.byteLength(body) +
  Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + Buffer.byteLength(value), 0);

/** The challenge of a handshake, where a request is one. */
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
