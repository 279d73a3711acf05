/*
 * The arguments of all methods of the family, in the order of its controller: longer than other files, as a class is a
 * declaration, and who looks for a method’s arguments finds them here.
 */
import { checkAttachments, checkBlocks, checkMetadata, MAX_ATTACHMENTS, MAX_BLOCKS } from '../wire/blocks.js';
import type { Attachment, Block, ContentFault, MessageMetadata } from '../wire/blocks.js';
import { NO_SUCH_TS } from '../store/message-ts.js';
import { isBlank, isLongerThan, truncateText } from '../wire/text.js';
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
import { Fault, toBoolean, toText } from '../rpc/args/coerce.js';

/*
 * The arguments of the chat.* methods, a class each: a table to look things up in, longer than other files for that.
 */

/** Longest text of a posted message; what is longer is cut. */
export const MAX_TEXT = 40_000;
/** Longest text of an updated message; what is longer is refused. */
export const MAX_UPDATED_TEXT = 4_000;
const MAX_MARKDOWN = 12_000;

const NO_EFFECT = { notes: 'accepted, no effect' };
const LINK_NAMES = { notes: '#name and @name become links too' };
const FULL_PARSE = 'full: #name and @name become links too';

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
const tooLong = new Fault(`must be at most ${MAX_TEXT} characters`, 'msg_too_long');

function isSent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

/** An empty text, or an empty list of blocks, beside `markdown_text` does not count as second content. */
function checkMarkdown(args: { text?: string; blocks?: Block[] }, raw: RawArgs, report: Report): void {
  if (isSent(raw['markdown_text']) && (args.text || args.blocks?.length)) report('markdown_text', conflict);
}

/** `parse`, `link_names` and `mrkdwn`, with any values. */
function readLinks(raw: RawArgs, mrkdwn: boolean | undefined): { asSent: boolean; names: boolean } {
  const { parse, link_names: names } = raw;
  return {
    asSent: parse === 'none' && mrkdwn === false,
    names: parse === 'full' || names === true || names === 1 || names === 'true' || names === '1',
  };
}

/** The content arguments of a message, which have to be read together. */
export function readContent(args: ChatPostMessageArgs, report: Report, raw: RawArgs): void {
  checkMarkdown(args, raw, report);
  const text = toText(raw['text']);
  args.truncated = typeof text === 'string' && isLongerThan(text, MAX_TEXT);
  if (args.markdown_text !== undefined) args.text = args.markdown_text;
  args.links = readLinks(raw, args.mrkdwn);
  args.hidesLinks = toBoolean(raw['unfurl_links']) === false;
}

export const hasContent = (args: ChatPostMessageArgs): boolean =>
  !isBlank(args.text ?? '') || Boolean(args.blocks?.length) || Boolean(args.attachments?.length);

/** Faults of a message that do not depend on its channel, in the order in which they are reported. */
export const CONTENT_ERRORS = [
  'invalid_arguments',
  'markdown_text_conflict',
  'msg_too_long',
  'invalid_blocks_format',
  'invalid_blocks',
  'msg_blocks_too_long',
  'invalid_attachments',
  'too_many_attachments',
  'invalid_metadata_format',
] as const;

/** Arguments of chat.postMessage. */
@ErrorOrder(
  ...CONTENT_ERRORS,
  'no_text',
  'channel_not_found',
  'cannot_dm_bot',
  'is_archived',
  'not_in_channel',
  'cannot_reply_to_message',
)
@Rule<ChatPostMessageArgs>((args, report, raw) => {
  readContent(args, report, raw);
  if (!hasContent(args)) report('text', noText);
})
export class ChatPostMessageArgs {
  /** A conversation's id, a channel's name or a user's id. */
  @StringArg({
    required: true,
    notes:
      'id (C,D,G), #name or name of a channel visible to the caller, or a user id U… (posts in the DM with that user, creating it)',
  })
  channel!: string;

  /** The stored text: cut to the limit; converted from `markdown_text` if that was sent. */
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
    notes: 'Block Kit, validated',
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

  @BooleanArg({ default: true, notes: 'see parse' })
  mrkdwn!: boolean;

  // validated as far as it is used: its other fields are ignored
  @IgnoredArg({ notes: `${FULL_PARSE}; none with mrkdwn false: the text is stored as sent` }) parse?: unknown;
  @IgnoredArg(LINK_NAMES) link_names?: unknown;
  @IgnoredArg({ notes: 'false: no app is told of its links' }) unfurl_links?: unknown;
  @IgnoredArg(NO_EFFECT) unfurl_media?: unknown;
  @IgnoredArg(NO_EFFECT) as_user?: unknown;

  @StringArg({
    notes: 'never echoed; for an hour a post with the same one of the same author and conversation is the same message',
  })
  client_msg_id?: string;

  /** How links in the text are made. */
  links!: { readonly asSent: boolean; readonly names: boolean };

  /** No `link_shared` event is sent for its links (`unfurl_links: false`). */
  hidesLinks!: boolean;

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
  'streaming_state_conflict',
  'cant_broadcast_message',
)
@Rule<ChatUpdateArgs>((args, report, raw) => {
  checkMarkdown(args, raw, report);
  args.links = readLinks(raw, undefined);
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

  @IgnoredArg({ notes: FULL_PARSE }) parse?: unknown;
  @IgnoredArg(LINK_NAMES) link_names?: unknown;
  @IgnoredArg(NO_EFFECT) as_user?: unknown;
  @IgnoredArg(NO_EFFECT) file_ids?: unknown;

  /** How links in the text are made. */
  links!: { readonly asSent: boolean; readonly names: boolean };
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

/** Arguments of chat.meMessage. */
@ErrorOrder('invalid_arguments', 'msg_too_long', 'no_text', 'channel_not_found', 'is_archived', 'not_in_channel')
export class ChatMeMessageArgs {
  @IsConversationId({ notes: 'conversation id' })
  channel!: string;

  @StringArg({
    required: true,
    keepEmpty: true,
    max: MAX_TEXT,
    read: (text) => (isLongerThan(text, MAX_TEXT) ? tooLong : isBlank(text) ? noText : text),
  })
  text!: string;
}

/** Arguments of chat.getPermalink. */
@ErrorOrder('invalid_arguments', 'channel_not_found', 'message_not_found')
export class ChatGetPermalinkArgs {
  @IsConversationId({ notes: 'conversation id' })
  channel!: string;

  /** Microseconds; a malformed one is a message that does not exist. */
  @TsArg({ required: true, malformed: { value: NO_SUCH_TS }, notes: 'message' })
  message_ts!: number;
}
