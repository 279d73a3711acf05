import { checkAttachments, checkBlocks, type ContentFault } from '../../messaging/wire/blocks.js';
import { isEmojiName } from '../../messaging/wire/emoji.js';
import { bulkMessages } from './bulk-messages.js';
import type { SeedReader } from './seed-reader.js';
import type { SeedMessage } from './seed-types.js';

type Json = Record<string, unknown>;

/** How many messages a document may hold. */
export const MAX_MESSAGES = 50_000;

/** Messages of a conversation, or how many to generate. */
export function readMessages(value: unknown, path: string, document: Json, read: SeedReader): SeedMessage[] {
  if (typeof value === 'number') {
    const count = read.whole(value, path, 0, MAX_MESSAGES) ?? 0;
    read.generatedMessages += count;
    if (read.generatedMessages <= MAX_MESSAGES) return bulkMessages(count, document['random_seed'], path);
    read.fault(path, `must make at most ${MAX_MESSAGES} messages, with those before it`);
    return [];
  }
  return read.list(value, path).map((one, i) => readMessage(one, `${path}[${i}]`, read));
}

function readMessage(value: unknown, path: string, read: SeedReader): SeedMessage {
  const message = read.object(value, path, 'as text at ts thread reactions ref blocks attachments');
  const blocks = checked(message['blocks'], `${path}.blocks`, read, (sent) => {
    const result = checkBlocks(sent);
    return 'error' in result ? result : result.blocks;
  });
  const attachments = checked(message['attachments'], `${path}.attachments`, read, (sent) => {
    const result = checkAttachments(sent);
    return 'error' in result ? result : result.attachments;
  });
  const text = readText(message['text'] ?? undefined, `${path}.text`, read);
  const isBlank = (text ?? '').trim() === '' && (message['text'] ?? undefined) === text;
  if (isBlank && blocks === undefined && attachments === undefined) {
    read.fault(path, 'must have a text, blocks or attachments');
  }
  return {
    as: read.name(message['as'], `${path}.as`),
    text: text ?? '',
    at: read.at(message['at'], `${path}.at`),
    ts: readTs(message['ts'], `${path}.ts`, read),
    thread: read.text(message['thread'], `${path}.thread`, 255),
    reactions: readReactions(message['reactions'], `${path}.reactions`, read),
    ref: read.ref(message['ref'], `${path}.ref`),
    blocks,
    attachments,
    path,
  };
}

/** The longest text of a message, in characters. */
const TEXT_MAX = 40_000;
/** What stands in a stored text for a shorter one that was sent: a link, an address, a name. */
const SPELLED_OUT = /<(?:mailto:[^>|]*\|([^>]*)|(https?:[^>|]*)|[@#!][^>]*)>/gi;

/** A text as it was sent, or as an export has it: the bound is for what was sent. */
function readText(stored: unknown, path: string, read: SeedReader): string | undefined {
  const isLong = typeof stored === 'string' && stored.length > TEXT_MAX;
  const sent = read.text(isLong ? stored.replace(SPELLED_OUT, '$1$2') : stored, path, TEXT_MAX);
  return isLong && sent !== undefined ? stored : sent;
}

function checked(
  sent: unknown,
  path: string,
  read: SeedReader,
  check: (sent: unknown) => unknown[] | ContentFault,
): unknown[] | undefined {
  if (sent === undefined || sent === null) return undefined;
  const result = check(sent);
  if (Array.isArray(result)) return result.length === 0 ? undefined : result;
  read.fault(path, [result.error, ...(result.messages ?? [])].join(' '));
  return [];
}

function readTs(value: unknown, path: string, read: SeedReader): number | undefined {
  if (value === undefined || value === null) return undefined;
  const ts = typeof value === 'string' && /^\d{10}\.\d{6}$/.test(value) ? Number(value.replace('.', '')) : undefined;
  if (ts === undefined) read.fault(path, 'must be a message timestamp');
  else if (ts > read.nowMicros) read.fault(path, "must not be later than the sandbox's now");
  return ts;
}

function readReactions(value: unknown, path: string, read: SeedReader): Record<string, string[]> {
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) {
    read.fault(path, 'must be an object');
    return {};
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, by]) => {
      if (!isEmojiName(name)) read.fault(`${path}.${name}`, 'is no name of an emoji');
      return [name, [...new Set(read.texts(by, `${path}.${name}`))]];
    }),
  );
}
