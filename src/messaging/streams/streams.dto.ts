import { ArrayArg, ErrorOrder, IsConversationId, ObjectArg, Rule, StringArg, TsArg } from '../rpc/args/args.js';
import { Fault } from '../rpc/args/coerce.js';
import { NO_SUCH_TS } from '../store/message-ts.js';
import { checkBlocks, checkMetadata, MAX_BLOCKS, type Block, type MessageMetadata } from '../wire/blocks.js';
import { readSessionStatus, type SessionStatus } from '../chat/session-status.js';
import { MAX_MARKDOWN, noChunks, readChunks, type Chunk } from './chunks.js';

/** Faults of what is written, in the order in which they are reported. */
const CONTENT_ERRORS = [
  'invalid_arguments',
  'msg_too_long',
  'invalid_chunks',
  'invalid_blocks_format',
  'invalid_blocks',
  'msg_blocks_too_many',
  'msg_blocks_too_long',
] as const;

const CHANNEL = { notes: 'conversation id' };
const STREAM = { required: true, malformed: { value: NO_SUCH_TS }, notes: "the stream's ts" } as const;
const MARKDOWN = { max: MAX_MARKDOWN, tooLong: 'msg_too_long', notes: 'added before the chunks' } as const;
const CHUNKS = {
  code: 'invalid_chunks',
  read: readChunks,
  otherwise: noChunks,
  notes: 'markdown_text, task_update, plan_update, blocks',
} as const;

/** A word for how tasks are shown; `dense` is stored as `timeline`. */
function readMode(mode: string): string | Fault {
  return ['timeline', 'plan', 'dense'].includes(mode) ? mode : new Fault('must be timeline, plan or dense');
}

const noThread = new Fault('is required in direct messages');
const nothing = new Fault('no content', 'no_text');

/** Arguments of chat.startStream. */
@ErrorOrder(
  ...CONTENT_ERRORS,
  'channel_not_found',
  'is_archived',
  'not_in_channel',
  'message_not_found',
  'cannot_reply_to_message',
  'missing_recipient_user_id',
  'missing_recipient_team_id',
  'user_not_found',
  'team_not_found',
  'messages_tab_disabled',
)
@Rule<ChatStartStreamArgs>((args, report, raw) => {
  if (/^[DG]/.test(args.channel ?? '') && !isSent(raw['thread_ts'])) report('thread_ts', noThread);
})
export class ChatStartStreamArgs {
  @IsConversationId(CHANNEL)
  channel!: string;

  /** Microseconds; a malformed one is a message that does not exist. */
  @TsArg({
    malformed: { value: NO_SUCH_TS },
    notes: "parent's ts; a reply's ts is mapped to its parent (chosen); required in an im or mpim",
  })
  thread_ts?: number;

  @StringArg(MARKDOWN)
  markdown_text?: string;

  @ArrayArg(CHUNKS)
  chunks?: Chunk[];

  @StringArg({ notes: 'a user of the workspace; required in channels and mpims' })
  recipient_user_id?: string;

  @StringArg({ notes: 'the workspace; required in channels and mpims' })
  recipient_team_id?: string;

  @StringArg({ read: readMode, documentedDefault: 'timeline', notes: 'timeline, plan, or dense, which is timeline' })
  task_display_mode?: string;

  @StringArg({ max: 80, notes: 'as in chat.postMessage' })
  username?: string;

  @StringArg({ notes: 'as in chat.postMessage' })
  icon_emoji?: string;

  @StringArg({ notes: 'as in chat.postMessage' })
  icon_url?: string;
}

/** Arguments of chat.appendStream. */
@ErrorOrder(
  ...CONTENT_ERRORS,
  'no_text',
  'channel_not_found',
  'message_not_found',
  'message_not_owned_by_app',
  'stopped_by_user',
  'message_not_in_streaming_state',
)
@Rule<ChatAppendStreamArgs>((args, report) => {
  if (args.markdown_text === undefined && args.chunks === undefined) report('markdown_text', nothing);
})
export class ChatAppendStreamArgs {
  @IsConversationId(CHANNEL)
  channel!: string;

  /** Microseconds; a malformed one is a message that does not exist. */
  @TsArg(STREAM)
  ts!: number;

  @StringArg({ ...MARKDOWN, notes: 'needed unless chunks has content; added before the chunks' })
  markdown_text?: string;

  @ArrayArg(CHUNKS)
  chunks?: Chunk[];
}

function readFinalBlocks(value: unknown[]): Block[] | Fault {
  const result = checkBlocks(value);
  if (!('error' in result)) return result.blocks;
  return new Fault('has an unacceptable value', result.error, result.messages);
}

function readMetadata(value: Record<string, unknown>): MessageMetadata | Fault {
  const result = checkMetadata(value);
  return 'error' in result ? new Fault('has an unacceptable value', result.error, result.messages) : result.metadata;
}

/** Arguments of chat.stopStream. */
@ErrorOrder(
  ...CONTENT_ERRORS,
  'invalid_metadata_format',
  'invalid_status',
  'channel_not_found',
  'message_not_found',
  'message_not_owned_by_app',
  'message_not_in_streaming_state',
  'not_authorized',
)
export class ChatStopStreamArgs {
  @IsConversationId(CHANNEL)
  channel!: string;

  /** Microseconds; a malformed one is a message that does not exist. */
  @TsArg(STREAM)
  ts!: number;

  @StringArg(MARKDOWN)
  markdown_text?: string;

  @ArrayArg(CHUNKS)
  chunks?: Chunk[];

  @ArrayArg({
    max: MAX_BLOCKS,
    code: 'invalid_blocks_format',
    read: readFinalBlocks,
    notes: 'stand behind what was streamed',
  })
  blocks?: Block[];

  @ObjectArg({ code: 'invalid_metadata_format', read: readMetadata, notes: 'as in chat.postMessage' })
  metadata?: MessageMetadata;

  @StringArg({ read: readSessionStatus, notes: "as status of agents.sessions.setStatus, for the stream's thread" })
  session_status?: SessionStatus;
}

/** `null`, absent and the empty string are the same. */
function isSent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}
