import { checkAttachments, checkBlocks, checkMetadata, MAX_ATTACHMENTS, MAX_BLOCKS } from '../model/blocks.js';
import type { Attachment, Block, ContentFault, MessageMetadata } from '../model/blocks.js';
import { NO_SUCH_TS } from '../model/message-ts.js';
import { isBlank, isLongerThan, truncateText } from '../model/text.js';
import {
  ArrayArg,
  BooleanArg,
  ErrorOrder,
  IgnoredArg,
  IsConversationId,
  ObjectArg,
  Rule,
  StringArg,
  TsArg,
  type RawArgs,
  type Report,
} from '../rpc/args/args.js';
import { Fault, toText } from '../rpc/args/coerce.js';

/** Longest text of a posted message; what is longer is cut. */
export const MAX_TEXT = 40_000;
/** Longest text of an updated message; what is longer is refused. */
export const MAX_UPDATED_TEXT = 4_000;
const MAX_MARKDOWN = 12_000;

const NO_EFFECT = { notes: 'accepted, no effect' };

function fault({ error, messages }: ContentFault): Fault {
  return new Fault('has an unacceptable value', error, messages);
}

function readBlocks(value: unknown[]): Block[] | Fault {
  const result = checkBlocks(value);
  return 'error' in result ? fault(result) : result.blocks;
}

function readAttachments(value: unknown[]): Attachment[] | Fault {
  const result = checkAttachments(value);
  return 'error' in result ? fault(result) : result.attachments;
}

function readMetadata(value: Record<string, unknown>): MessageMetadata | Fault {
  const result = checkMetadata(value);
  return 'error' in result ? fault(result) : result.metadata;
}

/** `{}` stands for "no metadata any more". */
function readNewMetadata(value: Record<string, unknown>): MessageMetadata | null | Fault {
  return Object.keys(value).length === 0 ? null : readMetadata(value);
}

const conflict = new Fault('not with text or blocks', 'markdown_text_conflict');
const noText = new Fault('no content', 'no_text');

function isSent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

/** An empty text, or an empty list of blocks, beside `markdown_text` is no second content. */
function checkMarkdown(args: { text?: string; blocks?: Block[] }, raw: RawArgs, report: Report): void {
  if (isSent(raw['markdown_text']) && (args.text || args.blocks?.length)) report('markdown_text', conflict);
}

/** Arguments of chat.postMessage. */
@ErrorOrder(
  'invalid_arguments',
  'markdown_text_conflict',
  'msg_too_long',
  'invalid_blocks_format',
  'invalid_blocks',
  'msg_blocks_too_long',
  'invalid_attachments',
  'too_many_attachments',
  'invalid_metadata_format',
  'no_text',
  'channel_not_found',
  'cannot_dm_bot',
  'is_archived',
  'not_in_channel',
  'cannot_reply_to_message',
)
@Rule<ChatPostMessageArgs>((args, report, raw) => {
  checkMarkdown(args, raw, report);
  const text = toText(raw['text']);
  args.truncated = typeof text === 'string' && isLongerThan(text, MAX_TEXT);
  if (args.markdown_text !== undefined) args.text = args.markdown_text;
  if (isBlank(args.text ?? '') && !args.blocks?.length && !args.attachments?.length) report('text', noText);
})
export class ChatPostMessageArgs {
  /** Not only a conversation's id: also a name or a user's id. */
  @StringArg({
    required: true,
    notes:
      'id (C,D,G), #name or name of a channel visible to the caller, or a user id U… (posts in the DM with that user, creating it)',
  })
  channel!: string;

  /** What is stored as text: cut to the limit, and that of `markdown_text` where this was sent. */
  @StringArg({
    keepEmpty: true,
    max: MAX_TEXT,
    read: (text) => truncateText(text, MAX_TEXT),
    notes:
      'needed unless blocks, attachments or markdown_text has content; longer text is cut to 40,000 characters with warning message_truncated',
  })
  text?: string;

  /** With ids filled in. */
  @ArrayArg({
    max: MAX_BLOCKS,
    code: 'invalid_blocks_format',
    read: readBlocks,
    notes: 'Block Kit, validated (C.7)',
  })
  blocks?: Block[];

  /** With ids and fallbacks filled in. */
  @ArrayArg({
    max: MAX_ATTACHMENTS,
    code: 'invalid_attachments',
    read: readAttachments,
    notes: 'each gets id 1..n; fallback defaults to its text or "[no preview available]"',
  })
  attachments?: Attachment[];

  @StringArg({ max: MAX_MARKDOWN, tooLong: 'msg_too_long', notes: 'stored as text; not with text or blocks' })
  markdown_text?: string;

  /** Microseconds; undefined also when malformed, because the message is then posted at top level. */
  @TsArg({
    malformed: { value: undefined },
    notes:
      "parent's ts; a reply's ts is mapped to its parent (chosen); a ts that is malformed or names no message is dropped and the message is posted top level, without thread_ts in the response (Slack)",
  })
  thread_ts?: number;

  @BooleanArg({ default: false, notes: 'with thread_ts: also show in the channel (thread_broadcast)' })
  reply_broadcast!: boolean;

  @StringArg({ max: 80, notes: 'ignored without chat:write.customize or with a user token' })
  username?: string;

  @StringArg({ notes: 'same rule; wins over icon_url' })
  icon_emoji?: string;

  @StringArg({ notes: 'same rule' })
  icon_url?: string;

  @ObjectArg({
    code: 'invalid_metadata_format',
    read: readMetadata,
    notes: '{event_type, event_payload}; returned only with include_all_metadata',
  })
  metadata?: MessageMetadata;

  @BooleanArg({ default: true, notes: 'stored, no effect' })
  mrkdwn!: boolean;

  @IgnoredArg(NO_EFFECT) parse?: unknown;
  @IgnoredArg(NO_EFFECT) link_names?: unknown;
  @IgnoredArg(NO_EFFECT) unfurl_links?: unknown;
  @IgnoredArg(NO_EFFECT) unfurl_media?: unknown;
  @IgnoredArg(NO_EFFECT) as_user?: unknown;

  @StringArg({ notes: 'accepted, never stored or echoed (it is a UUID)' })
  client_msg_id?: string;

  /** The text was cut: the answer carries the warning `message_truncated`. */
  truncated!: boolean;
}

/** Arguments of chat.update. */
@ErrorOrder(
  'invalid_arguments',
  'msg_too_long',
  'markdown_text_conflict',
  'invalid_blocks',
  'invalid_blocks_format',
  'msg_blocks_too_long',
  'invalid_attachments',
  'too_many_attachments',
  'invalid_metadata_format',
  'no_text',
  'channel_not_found',
  'is_inactive',
  'message_not_found',
  'cant_update_message',
  'cant_broadcast_message',
)
@Rule<ChatUpdateArgs>((args, report, raw) => {
  checkMarkdown(args, raw, report);
  if (args.markdown_text !== undefined) args.text = args.markdown_text;
  const others = args.blocks ?? args.attachments ?? args.metadata;
  if (isBlank(args.text ?? '') && others === undefined && !isSent(raw['reply_broadcast'])) report('text', noText);
})
export class ChatUpdateArgs {
  @IsConversationId({ notes: 'conversation id only: no name, no U…' })
  channel!: string;

  /** Microseconds; a malformed one is a message that does not exist. */
  @TsArg({ required: true, malformed: { value: NO_SUCH_TS }, notes: 'message to update' })
  ts!: number;

  /** That of `markdown_text` where this was sent. */
  @StringArg({
    keepEmpty: true,
    max: MAX_UPDATED_TEXT,
    tooLong: 'msg_too_long',
    notes: 'with text and no blocks, the old blocks are removed',
  })
  text?: string;

  @ArrayArg({
    max: MAX_BLOCKS,
    code: 'invalid_blocks_format',
    read: readBlocks,
    notes: 'kept when neither text nor blocks is sent; [] removes them',
  })
  blocks?: Block[];

  @ArrayArg({
    max: MAX_ATTACHMENTS,
    code: 'invalid_attachments',
    read: readAttachments,
    notes: 'kept when absent; [] removes them',
  })
  attachments?: Attachment[];

  @StringArg({ max: MAX_MARKDOWN, tooLong: 'msg_too_long', notes: 'as in chat.postMessage' })
  markdown_text?: string;

  /** Null removes what is stored. */
  @ObjectArg({
    code: 'invalid_metadata_format',
    read: readNewMetadata,
    notes: 'kept when absent; {} removes it',
  })
  metadata?: MessageMetadata | null;

  @BooleanArg({ default: false, notes: 'turns an existing thread reply into a broadcast' })
  reply_broadcast!: boolean;

  @IgnoredArg(NO_EFFECT) parse?: unknown;
  @IgnoredArg(NO_EFFECT) link_names?: unknown;
  @IgnoredArg(NO_EFFECT) as_user?: unknown;
  @IgnoredArg(NO_EFFECT) file_ids?: unknown;
}

/** Arguments of chat.delete. */
@ErrorOrder('invalid_arguments', 'channel_not_found', 'message_not_found', 'cant_delete_message')
export class ChatDeleteArgs {
  @IsConversationId({ notes: 'conversation id only' })
  channel!: string;

  /** Microseconds; a malformed one is a message that does not exist. */
  @TsArg({ required: true, malformed: { value: NO_SUCH_TS }, notes: 'message to delete' })
  ts!: number;

  @BooleanArg(NO_EFFECT)
  as_user?: boolean;
}
