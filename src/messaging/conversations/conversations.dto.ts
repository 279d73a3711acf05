/*
 * The arguments of all methods of the family, in the order of its controller: longer than other files, as a class is a
 * declaration, and who looks for a method’s arguments finds them here.
 */
import { checkChannelName, MAX_CHANNEL_NAME } from '../wire/channel-name.js';
import { NO_SUCH_TS } from '../store/message-ts.js';
import {
  BooleanArg,
  CursorArg,
  ErrorOrder,
  IsConversationId,
  LimitArg,
  ListArg,
  Rule,
  StringArg,
  TsArg,
  type RawArgs,
} from '../rpc/args/args.js';
import { Fault, toText } from '../rpc/args/coerce.js';
import { TypesArg, type ConversationTypeWord } from '../rpc/args/conversation-types.js';

/*
 * The arguments of the conversations.* methods, a class each: a table to look things up in, and for that longer than other
 * files.
 */

/** Longest topic and purpose, in code points. */
export const MAX_TOPIC = 250;
/** Most users of one conversations.invite. */
export const MAX_INVITED = 100;
/** Most other users in a group message. */
export const MAX_OTHERS = 8;

const CHANNEL = { notes: 'conversation id' };
const CLAMPED = 'larger is clamped';

function readName(text: string): string | Fault {
  const result = checkChannelName(text);
  return 'error' in result ? new Fault('is no channel name', result.error) : result.name;
}

/** Bounds are echoed in the answer as they were sent. */
function echoBounds(
  args: { sent_latest?: string; sent_oldest?: string; latest?: number; oldest?: number },
  raw: RawArgs,
) {
  if (args.latest !== undefined) args.sent_latest = String(raw['latest']);
  if (args.oldest !== undefined) args.sent_oldest = String(raw['oldest']);
}

/** Arguments of conversations.list. */
@ErrorOrder('invalid_types', 'invalid_limit', 'invalid_cursor')
export class ConversationsListArgs {
  @TypesArg()
  types!: readonly ConversationTypeWord[];

  @BooleanArg({ default: false })
  exclude_archived!: boolean;

  @LimitArg({ default: 100, max: 999, notes: CLAMPED })
  limit!: number;

  /** What the cursor names. */
  @CursorArg('team')
  cursor?: string;

  @StringArg({ notes: 'the workspace of a JWT; tokens of apps ignore it' })
  team_id?: string;
}

/** Arguments of conversations.create. */
@ErrorOrder(
  'invalid_arguments',
  'invalid_name_required',
  'invalid_name_maxlength',
  'invalid_name_specials',
  'invalid_name_punctuation',
  'invalid_name',
  'name_taken',
)
export class ConversationsCreateArgs {
  /** Trimmed. */
  @StringArg({
    required: true,
    keepEmpty: true,
    max: MAX_CHANNEL_NAME,
    read: readName,
    notes: 'lower case letters, digits, - and _; at most 80',
  })
  name!: string;

  @BooleanArg({ default: false })
  is_private!: boolean;

  @StringArg({ notes: 'the workspace of a JWT; tokens of apps ignore it' })
  team_id?: string;
}

/** Arguments of conversations.info. */
@ErrorOrder('invalid_arguments', 'channel_not_found')
export class ConversationsInfoArgs {
  @IsConversationId(CHANNEL)
  channel!: string;

  @BooleanArg({ default: false, notes: 'adds num_members' })
  include_num_members!: boolean;

  @BooleanArg({ default: false, notes: 'adds locale: "en-US"' })
  include_locale!: boolean;
}

/** Arguments of conversations.history. */
@ErrorOrder(
  'invalid_arguments',
  'invalid_ts_latest',
  'invalid_ts_oldest',
  'invalid_limit',
  'invalid_cursor',
  'channel_not_found',
  'not_in_channel',
)
@Rule<ConversationsHistoryArgs>((args, _report, raw) => echoBounds(args, raw))
export class ConversationsHistoryArgs {
  @IsConversationId(CHANNEL)
  channel!: string;

  /** Microseconds. */
  @TsArg({ code: 'invalid_ts_latest', notes: 'upper bound, exclusive; without it there is none' })
  latest?: number;

  /** Microseconds; undefined when not sent, which turns the page round. */
  @TsArg({ code: 'invalid_ts_oldest', documentedDefault: '0', notes: 'lower bound, exclusive' })
  oldest?: number;

  @BooleanArg({ default: false, notes: 'makes both bounds inclusive' })
  inclusive!: boolean;

  @LimitArg({ default: 100, max: 999, notes: CLAMPED })
  limit!: number;

  /** Microseconds: the message the page starts with. */
  @CursorArg('next_ts')
  cursor?: number;

  @BooleanArg({ default: false, notes: 'adds stored metadata' })
  include_all_metadata!: boolean;

  /** As sent, for the echo. */
  sent_latest?: string;
  /** As sent, for the echo. */
  sent_oldest?: string;
}

/** Arguments of conversations.replies. */
@ErrorOrder(
  'invalid_arguments',
  'invalid_ts_latest',
  'invalid_ts_oldest',
  'invalid_limit',
  'invalid_cursor',
  'channel_not_found',
  'not_in_channel',
  'thread_not_found',
)
@Rule<ConversationsRepliesArgs>((args, _report, raw) => echoBounds(args, raw))
export class ConversationsRepliesArgs {
  @IsConversationId(CHANNEL)
  channel!: string;

  /** Microseconds; a malformed one is a thread that does not exist. */
  @TsArg({
    required: true,
    malformed: { value: NO_SUCH_TS },
    notes: "parent's ts; the ts of a reply returns that one reply only (Slack)",
  })
  ts!: number;

  /** Microseconds. */
  @TsArg({ code: 'invalid_ts_latest', notes: 'applies to replies' })
  latest?: number;

  /** Microseconds. */
  @TsArg({ code: 'invalid_ts_oldest', documentedDefault: '0', notes: 'applies to replies' })
  oldest?: number;

  @BooleanArg({ default: false })
  inclusive!: boolean;

  @LimitArg({ default: 1000, max: 1000, notes: 'counts the parent on the first page; larger is clamped' })
  limit!: number;

  /** Microseconds: the reply the page starts with. */
  @CursorArg('reply_ts')
  cursor?: number;

  @BooleanArg({ default: false })
  include_all_metadata!: boolean;

  /** As sent, for the echo. */
  sent_latest?: string;
  /** As sent, for the echo. */
  sent_oldest?: string;
}

/** Arguments of conversations.members. */
@ErrorOrder('invalid_arguments', 'invalid_limit', 'invalid_cursor', 'channel_not_found')
export class ConversationsMembersArgs {
  @IsConversationId(CHANNEL)
  channel!: string;

  @LimitArg({ default: 100, max: 1000, notes: CLAMPED })
  limit!: number;

  /** What the cursor names. */
  @CursorArg('user_id')
  cursor?: string;
}

/** Arguments of conversations.join. */
@ErrorOrder('invalid_arguments', 'channel_not_found', 'method_not_supported_for_channel_type', 'is_archived')
export class ConversationsJoinArgs {
  @IsConversationId({ notes: 'public channel id' })
  channel!: string;
}

/** Arguments of conversations.leave. */
@ErrorOrder(
  'invalid_arguments',
  'channel_not_found',
  'method_not_supported_for_channel_type',
  'cant_leave_general',
  'not_in_channel',
  'is_archived',
  'last_member',
)
export class ConversationsLeaveArgs {
  @IsConversationId(CHANNEL)
  channel!: string;
}

/** Arguments of conversations.archive. */
@ErrorOrder(
  'invalid_arguments',
  'channel_not_found',
  'method_not_supported_for_channel_type',
  'already_archived',
  'cant_archive_general',
  'not_in_channel',
)
export class ConversationsArchiveArgs {
  @IsConversationId(CHANNEL)
  channel!: string;
}

/** Arguments of conversations.invite. */
@ErrorOrder(
  'invalid_arguments',
  'no_user',
  'too_many_users',
  'channel_not_found',
  'method_not_supported_for_channel_type',
  'is_archived',
  'not_in_channel',
  'cant_invite_self',
  'user_not_found',
  'cant_invite',
  'already_in_channel',
)
export class ConversationsInviteArgs {
  @IsConversationId({ notes: 'public or private channel id' })
  channel!: string;

  /** Distinct, in the order sent. */
  @ListArg({
    required: true,
    missing: 'no_user',
    max: MAX_INVITED,
    tooMany: 'too_many_users',
    notes: 'user ids; a JSON array is accepted (chosen)',
  })
  users!: readonly string[];

  @BooleanArg({ default: false, notes: 'with several users: invite the valid ones, report the rest' })
  force!: boolean;
}

/** Arguments of conversations.kick. */
@ErrorOrder(
  'invalid_arguments',
  'channel_not_found',
  'method_not_supported_for_channel_type',
  'cant_kick_from_general',
  'user_not_found',
  'cant_kick_self',
  'is_archived',
  'not_in_channel',
)
export class ConversationsKickArgs {
  @IsConversationId(CHANNEL)
  channel!: string;

  @StringArg({ required: true, notes: 'user id' })
  user!: string;
}

/** Arguments of conversations.rename. */
@ErrorOrder(
  'invalid_arguments',
  'invalid_name_required',
  'invalid_name_maxlength',
  'invalid_name_specials',
  'invalid_name_punctuation',
  'invalid_name',
  'channel_not_found',
  'method_not_supported_for_channel_type',
  'is_archived',
  'not_in_channel',
  'not_authorized',
  'name_taken',
)
export class ConversationsRenameArgs {
  @IsConversationId(CHANNEL)
  channel!: string;

  /** Trimmed. */
  @StringArg({
    required: true,
    keepEmpty: true,
    max: MAX_CHANNEL_NAME,
    read: readName,
    notes: 'lower case letters, digits, - and _; at most 80',
  })
  name!: string;
}

/** Arguments of conversations.setTopic. */
@ErrorOrder('invalid_arguments', 'too_long', 'channel_not_found', 'is_archived', 'not_in_channel')
export class ConversationsSetTopicArgs {
  @IsConversationId(CHANNEL)
  channel!: string;

  @StringArg({
    required: true,
    keepEmpty: true,
    max: MAX_TOPIC,
    tooLong: 'too_long',
    notes: 'empty string clears it',
  })
  topic!: string;
}

/** Arguments of conversations.setPurpose. */
@ErrorOrder('invalid_arguments', 'too_long', 'channel_not_found', 'is_archived', 'not_in_channel')
export class ConversationsSetPurposeArgs {
  @IsConversationId(CHANNEL)
  channel!: string;

  @StringArg({
    required: true,
    keepEmpty: true,
    max: MAX_TOPIC,
    tooLong: 'too_long',
    notes: 'empty string clears it',
  })
  purpose!: string;
}

const noUsers = new Fault('neither users nor channel', 'users_list_not_supplied');
const tooManyUsers = new Fault('too many', 'too_many_users');

/** Arguments of conversations.open. */
@ErrorOrder(
  'users_list_not_supplied',
  'too_many_users',
  'user_not_found',
  'user_disabled',
  'cannot_dm_bot',
  'channel_not_found',
  'method_not_supported_for_channel_type',
)
@Rule<ConversationsOpenArgs>((args, report, raw) => {
  if (toText(raw['channel']) !== undefined) return;
  if (args.users === undefined) report('users', noUsers);
  // One more than the limit may still be the caller, who does not count: that is for the service to see.
  else if (args.users.length > MAX_OTHERS + 1) report('users', tooManyUsers);
})
export class ConversationsOpenArgs {
  /** Distinct, in the order sent; one of them may be the caller. */
  @ListArg({
    max: MAX_OTHERS,
    notes:
      "1 other user: im; 2 to 8 others: mpim; the caller's own id is ignored in a longer list and alone means the self-DM; a JSON array is accepted",
  })
  users?: readonly string[];

  @IsConversationId({ required: false, notes: 'D… or G… to reopen; wins over users' })
  channel?: string;

  @BooleanArg({ default: false, notes: 'return the full object' })
  return_im!: boolean;

  @BooleanArg({ default: false, notes: 'only look up' })
  prevent_creation!: boolean;
}

/** Arguments of conversations.unarchive. */
@ErrorOrder(
  'invalid_arguments',
  'channel_not_found',
  'method_not_supported_for_channel_type',
  'not_archived',
  'not_in_channel',
)
export class ConversationsUnarchiveArgs {
  @IsConversationId(CHANNEL)
  channel!: string;
}

/** Arguments of conversations.close. */
@ErrorOrder('invalid_arguments', 'channel_not_found', 'method_not_supported_for_channel_type')
export class ConversationsCloseArgs {
  @IsConversationId(CHANNEL)
  channel!: string;
}

/** Arguments of conversations.mark. */
@ErrorOrder('invalid_arguments', 'invalid_timestamp', 'channel_not_found', 'not_in_channel')
export class ConversationsMarkArgs {
  @IsConversationId(CHANNEL)
  channel!: string;

  /** Microseconds; one without a message is fine. */
  @TsArg({ required: true, code: 'invalid_timestamp', notes: 'ts of the newest message that was read' })
  ts!: number;
}
