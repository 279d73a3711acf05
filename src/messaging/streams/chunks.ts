import { checkBlocks, line, MAX_BLOCKS, type Block } from '../wire/blocks.js';
import { Fault } from '../rpc/args/coerce.js';
import { isJsonObject, isLongerThan } from '../wire/text.js';

type Json = Record<string, unknown>;

/** Longest text of a chunk, and of `markdown_text`. */
export const MAX_MARKDOWN = 12_000;
/** Longest id, title, details or output of a task in one chunk. */
const MAX_WORDS = 256;
const STATUSES = ['pending', 'in_progress', 'complete', 'error'];

export interface TaskChunk {
  readonly type: 'task_update';
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly details?: string;
  readonly output?: string;
  readonly sources?: readonly Json[];
}

/** One thing that is added to a stream (docs/reference/chat.md#streams). */
export type Chunk =
  | { readonly type: 'markdown_text'; readonly text: string }
  | TaskChunk
  | { readonly type: 'plan_update'; readonly title: string }
  | { readonly type: 'blocks'; readonly blocks: Block[] };

const invalid = (reason: string, pointer: string): Fault =>
  new Fault('has an unacceptable value', 'invalid_chunks', [line(reason, pointer)]);

/** What is no list. */
export const noChunks = invalid('must be an array', '/chunks');

/** Reads `chunks`: the first offence is answered. An empty list counts as absent. */
export function readChunks(list: unknown[]): Chunk[] | undefined | Fault {
  if (list.length === 0) return undefined;
  const chunks: Chunk[] = [];
  let blocks = 0;
  for (const [i, item] of list.entries()) {
    const at = `/chunks/${i}`;
    const chunk = isJsonObject(item) ? readChunk(item, at) : invalid('must be an object', at);
    if (chunk instanceof Fault) return chunk;
    if (chunk.type === 'blocks') blocks += chunk.blocks.length;
    if (blocks > MAX_BLOCKS) return new Fault(`more than ${MAX_BLOCKS} blocks`, 'msg_blocks_too_many');
    chunks.push(chunk);
  }
  return chunks;
}

function readChunk(chunk: Json, at: string): Chunk | Fault {
  switch (chunk['type']) {
    case 'markdown_text': {
      const { text } = chunk;
      if (typeof text !== 'string' || text === '') return invalid('must be a text', `${at}/text`);
      return isLongerThan(text, MAX_MARKDOWN)
        ? new Fault(`must be at most ${MAX_MARKDOWN} characters`, 'msg_too_long')
        : { type: 'markdown_text', text };
    }
    case 'task_update':
      return readTask(chunk, at);
    case 'plan_update': {
      const { title } = chunk;
      if (typeof title !== 'string') return invalid('must be a string', `${at}/title`);
      return isLongerThan(title, MAX_WORDS) ? tooLong(`${at}/title`) : { type: 'plan_update', title };
    }
    case 'blocks':
      return readBlocks(chunk['blocks'], at);
    default:
      return invalid('unsupported type', `${at}/type`);
  }
}

const tooLong = (pointer: string): Fault => invalid(`must be at most ${MAX_WORDS} characters`, pointer);

function readTask(chunk: Json, at: string): TaskChunk | Fault {
  for (const field of ['id', 'title', 'details', 'output']) {
    const value = chunk[field];
    const isNeeded = field === 'id' || field === 'title';
    if ((value === undefined || value === null) && !isNeeded) continue;
    if (typeof value !== 'string' || (isNeeded && value === '')) return invalid('must be a text', `${at}/${field}`);
    if (isLongerThan(value, MAX_WORDS)) return tooLong(`${at}/${field}`);
  }
  const { id, title, status, details, output, sources } = chunk as Json & Record<'id' | 'title', string>;
  if (!STATUSES.includes(status as string)) return invalid(`must be one of ${STATUSES.join(', ')}`, `${at}/status`);
  if (sources !== undefined && sources !== null) {
    if (!Array.isArray(sources)) return invalid('must be an array', `${at}/sources`);
    const wrong = sources.findIndex((source) => !isSource(source));
    if (wrong !== -1) return invalid('must be a url element', `${at}/sources/${wrong}`);
  }
  return {
    type: 'task_update',
    id,
    title,
    status: status as string,
    ...(typeof details === 'string' && { details }),
    ...(typeof output === 'string' && { output }),
    ...(Array.isArray(sources) && {
      sources: (sources as Json[]).map(({ url, text }) => ({ type: 'url', url, text })),
    }),
  };
}

const isSource = (source: unknown): boolean =>
  isJsonObject(source) &&
  source['type'] === 'url' &&
  typeof source['url'] === 'string' &&
  source['url'] !== '' &&
  typeof source['text'] === 'string';

function readBlocks(value: unknown, at: string): Chunk | Fault {
  if (!Array.isArray(value)) return invalid('must be an array', `${at}/blocks`);
  if (value.length > MAX_BLOCKS) return new Fault(`more than ${MAX_BLOCKS} blocks`, 'msg_blocks_too_many');
  const result = checkBlocks(value);
  if (!('error' in result)) return { type: 'blocks', blocks: result.blocks };
  const messages = result.messages?.map((message) => message.replace('[json-pointer:/', `[json-pointer:${at}/`));
  return new Fault('has an unacceptable value', result.error, messages);
}
