import { fromCaller } from '../../kernel/clock/request-sandbox.js';
import { ChatPostMessageArgs } from '../chat/chat.dto.js';
import { MessagingError } from '../wire/codes.js';
import { linkText } from '../wire/link-text.js';
import { isJsonObject } from '../wire/text.js';
import { parseArgs } from '../rpc/args/parse-args.js';
import { parseJson } from '../../kernel/text/json.js';

/**
 * What a message sent to one of our URLs may hold; the rest of its fields is ignored
 * (docs/reference/control-plane.md#incoming-webhooks, #slash-commands).
 */
export interface MessagePayload {
  readonly text: string;
  readonly blocks?: unknown[] | undefined;
  readonly attachments?: unknown[] | undefined;
  readonly metadata?: object | undefined;
  /** Microseconds. */
  readonly threadTs?: number | undefined;
  readonly broadcast: boolean;
}

/** A body that is no message. `code` is `invalid_payload`, or one of chat.postMessage's. */
export class PayloadError extends Error {
  constructor(readonly code: string) {
    super(code);
  }
}

const FIELDS = ['text', 'blocks', 'attachments', 'metadata', 'thread_ts', 'reply_broadcast'] as const;

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  metadata: (value) => typeof value === 'string' || isJsonObject(value),
  thread_ts: (value) => typeof value === 'string' || typeof value === 'number',
  reply_broadcast: (value) => typeof value === 'boolean' || value === 'true' || value === 'false',
};

/** JSON, or form fields with the JSON in `payload`. @throws PayloadError invalid_payload */
export function readPayload(body: Buffer | undefined, contentType: string | undefined): Record<string, unknown> {
  const type = (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase();
  const isForm = type === 'application/x-www-form-urlencoded';
  if (!isForm && type !== '' && type !== 'application/json') throw new PayloadError('invalid_payload');
  const sent = body?.toString('utf8') ?? '';
  const text = isForm ? new URLSearchParams(sent).get('payload') : sent;
  let value: unknown;
  try {
    value = parseJson(text ?? '');
  } catch {
    throw new PayloadError('invalid_payload');
  }
  if (!isJsonObject(value)) throw new PayloadError('invalid_payload');
  return fromCaller(value);
}

/** The message in a payload, by the rules of chat.postMessage. @throws PayloadError, also `no_text` */
export function readMessage(payload: Readonly<Record<string, unknown>>): MessagePayload {
  const raw: Record<string, unknown> = { channel: 'C0000000000' };
  for (const field of FIELDS) {
    const value = payload[field];
    if (value === undefined || value === null) continue;
    if (TYPES[field]?.(value) === false) throw new PayloadError('invalid_payload');
    raw[field] = value;
  }
  try {
    const args = parseArgs(ChatPostMessageArgs, raw);
    return {
      text: linkText(args.text ?? ''),
      blocks: args.blocks,
      attachments: args.attachments,
      metadata: args.metadata,
      threadTs: args.thread_ts,
      broadcast: args.reply_broadcast,
    };
  } catch (error) {
    if (!(error instanceof MessagingError)) throw error;
    const isOfPayload = error.code === 'invalid_arguments' || error.code === 'invalid_metadata_format';
    throw new PayloadError(isOfPayload ? 'invalid_payload' : error.code);
  }
}
