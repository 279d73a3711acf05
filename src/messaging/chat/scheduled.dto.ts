import {
  CursorArg,
  ErrorOrder,
  IgnoredArg,
  IsConversationId,
  LimitArg,
  Rule,
  StringArg,
  TsArg,
} from '../rpc/args/args.js';
import { Fault } from '../rpc/args/coerce.js';
import { ChatPostMessageArgs, CONTENT_ERRORS, hasContent, readContent } from './chat.dto.js';

const NO_EFFECT = { notes: 'accepted, no effect' };
const notSeconds = new Fault('must be whole seconds', 'invalid_time');
const noConversation = new Fault('is no conversation id', 'invalid_channel');

/** Arguments of chat.scheduleMessage: those of chat.postMessage without username and icon, and the time. */
@ErrorOrder(
  ...CONTENT_ERRORS,
  'invalid_time',
  'time_in_past',
  'time_too_far',
  'no_text',
  'channel_not_found',
  'cannot_dm_bot',
  'is_archived',
  'not_in_channel',
  'cannot_reply_to_message',
  'restricted_too_many',
)
@Rule<ChatScheduleMessageArgs>((args, report, raw) => {
  readContent(args, report, raw);
  // reported after the time was checked, which needs the clock
  args.isEmpty = !hasContent(args);
})
export class ChatScheduleMessageArgs extends ChatPostMessageArgs {
  /** Seconds. */
  @StringArg({
    required: true,
    read: (text) => (/^-?\d{1,15}$/.test(text) ? Number(text) : notSeconds),
    notes: 'unix seconds, at most 120 days ahead',
  })
  post_at!: number;

  @IgnoredArg(NO_EFFECT) override username = undefined as never;
  @IgnoredArg(NO_EFFECT) override icon_emoji = undefined as never;
  @IgnoredArg(NO_EFFECT) override icon_url = undefined as never;

  isEmpty!: boolean;
}

/** Arguments of chat.scheduledMessages.list. */
@ErrorOrder('invalid_channel', 'invalid_limit', 'invalid_cursor', 'channel_not_found')
export class ChatScheduledMessagesListArgs {
  @StringArg({
    read: (text) => (/^[CDG][0-9A-Z]{1,30}$/.test(text) ? text : noConversation),
    notes: 'conversation id',
  })
  channel?: string;

  /** Microseconds. */
  @TsArg({ notes: 'seconds, inclusive' })
  oldest?: number;

  /** Microseconds. */
  @TsArg({ notes: 'seconds, inclusive' })
  latest?: number;

  @LimitArg({ default: 100, max: 1000, notes: 'larger is clamped' })
  limit!: number;

  /** The key in the cursor. */
  @CursorArg('scheduled')
  cursor?: string;

  @StringArg({ notes: 'the workspace of a JWT; tokens of apps ignore it' })
  team_id?: string;
}

/** Arguments of chat.deleteScheduledMessage. */
@ErrorOrder('invalid_arguments', 'channel_not_found', 'invalid_scheduled_message_id')
export class ChatDeleteScheduledMessageArgs {
  @IsConversationId({ notes: 'conversation id' })
  channel!: string;

  @StringArg({ required: true })
  scheduled_message_id!: string;

  @IgnoredArg(NO_EFFECT) as_user?: unknown;
}
