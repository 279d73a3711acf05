import { mayHoldSecrets, redact, redactHeaders, redactText } from './redaction.js';

/** Longest body that is kept whole, in characters. */
export const MAX_BODY = 16 * 1024;

/** Fields of an entry that lists leave out: stored separately. */
export const LONG_FIELDS = ['args', 'answer', 'data', 'request', 'response'] as const;

/** An entry as it is shown. */
export type Entry = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly at: string;
  readonly wall: string;
  readonly kind: string;
};

/** An entry about to be stored. */
export interface Draft {
  readonly tenantId: number;
  /** By the sandbox's clock, in milliseconds since 1970; null: its time at `wallMs`. */
  readonly atMs: number | null;
  readonly wallMs: number;
  readonly kind: string;
  /** The short fields. */
  readonly head: Readonly<Record<string, unknown>>;
  /** The long ones, each as JSON text. */
  readonly body: Readonly<Record<string, string | undefined>>;
  /** The field `answer` of a call, as it was sent. */
  readonly answer?: SentAnswer;
  /** The whole length of `body` if it was cut. */
  readonly cutFrom?: number | undefined;
}

export interface SentAnswer {
  readonly payload: string;
  readonly contentType: string;
  /** The server's own, not that of a fault, which may claim to be JSON without being it. */
  readonly isOwn: boolean;
}

/** A long value as it is stored: without secrets, and cut if it is too long. */
export interface StoredJson {
  /** JSON text. */
  readonly json: string;
  /** The original length if it was cut. */
  readonly cutFrom?: number;
}

/** The beginning of a long answer: text that is no longer JSON. */
export interface CutAnswer {
  readonly text: string;
  /** The whole length. */
  readonly cutFrom: number;
}

/** A JSON value as it is stored. */
export function keepValue(value: unknown): StoredJson {
  const text = JSON.stringify(value) ?? 'null';
  return cut(mayHoldSecrets(text) ? JSON.stringify(redact(value)) : text);
}

/** A body as it was sent: JSON, a form or other text. */
export function keepBody(body: string | Buffer | undefined, contentType = ''): StoredJson {
  if (body === undefined) return { json: 'null' };
  if (isBinary(contentType)) return { json: `{"bytes":${Buffer.byteLength(body)}}` };
  const text = typeof body === 'string' ? body : body.toString('utf8');
  if (text === '') return { json: '""' };
  const first = text.charCodeAt(0);
  if (first === 0x7b || first === 0x5b || /json/i.test(contentType)) {
    try {
      const value: unknown = JSON.parse(text);
      return cut(mayHoldSecrets(text) ? JSON.stringify(redact(value)) : text);
    } catch {
      // not JSON after all
    }
  }
  if (/x-www-form-urlencoded/i.test(contentType)) return cut(JSON.stringify(redact(readForm(text))));
  const redacted = redactText(text);
  return redacted.length <= MAX_BODY
    ? { json: JSON.stringify(redacted) }
    : { json: JSON.stringify(redacted.slice(0, MAX_BODY)), cutFrom: text.length };
}

/**
 * The server's own answer: JSON by its content type, so it is not parsed again if the stored part cannot contain a
 * secret. The name that marks a secret comes before it, so the part that is cut off need not be examined.
 */
export function keepAnswer(payload: string, contentType: string): StoredJson | CutAnswer {
  const isLong = payload.length > MAX_BODY;
  const start = isLong ? payload.slice(0, wholeCharacters(payload, MAX_BODY)) : payload;
  if (!/json/i.test(contentType) || mayHoldSecrets(start)) return keepBody(payload, contentType);
  return isLong ? { text: start, cutFrom: payload.length } : { json: payload };
}

/** A length of at most `most` that does not split a surrogate pair, which could not be stored. */
const wholeCharacters = (text: string, most: number): number =>
  (text.charCodeAt(most - 1) & 0xfc00) === 0xd800 ? most - 1 : most;

/** Request or response of something that was sent. */
export function keepMessage(
  message: { readonly headers: Readonly<Record<string, unknown>>; readonly status?: number },
  body: StoredJson | undefined,
): string {
  const { headers, status } = message;
  const shown = JSON.stringify({ ...(status !== undefined && { status }), headers: redactHeaders(headers) });
  return body ? `${shown.slice(0, -1)},"body":${body.json}}` : shown;
}

const cut = (json: string): StoredJson =>
  json.length <= MAX_BODY ? { json } : { json: JSON.stringify(json.slice(0, MAX_BODY)), cutFrom: json.length };

const isBinary = (contentType: string): boolean =>
  /^(multipart\/|image\/|audio\/|video\/|application\/(octet-stream|pdf|zip|gzip))/i.test(contentType);

/** A form, whose `payload` is JSON as apps get it. */
function readForm(text: string): Record<string, unknown> {
  const fields: Record<string, unknown> = Object.fromEntries(new URLSearchParams(text));
  if (typeof fields['payload'] === 'string') {
    try {
      fields['payload'] = JSON.parse(fields['payload']);
    } catch {
      // shown unchanged
    }
  }
  return fields;
}
