import { isEmojiName } from '../wire/emoji.js';
import {
  BooleanArg,
  ErrorOrder,
  IntegerArg,
  IsConversationId,
  LimitArg,
  Rule,
  StringArg,
  TsArg,
  UnreadCursorArg,
} from '../rpc/args/args.js';
import { Fault } from '../rpc/args/coerce.js';

const MAX_NAME = 100;
const unknownEmoji = new Fault('is no emoji name', 'invalid_name');

/** Every known name is shorter than the limit, so that an overlong one is simply not known. */
function readEmoji(name: string): string | Fault {
  return isEmojiName(name) ? name : unknownEmoji;
}

const CHANNEL = { missing: 'no_item_specified', notes: 'conversation id' } as const;
const TIMESTAMP = {
  required: true,
  missing: 'no_item_specified',
  code: 'bad_timestamp',
  aliases: ['ts'],
  notes: 'message ts',
} as const;
const NAME = {
  required: true,
  max: MAX_NAME,
  read: readEmoji,
  notes: 'emoji name without colons, optional ::skin-tone-2…::skin-tone-6',
};

/** Arguments of reactions.add. */
@ErrorOrder(
  'no_item_specified',
  'invalid_arguments',
  'invalid_name',
  'bad_timestamp',
  'channel_not_found',
  'is_archived',
  'not_in_channel',
  'message_not_found',
  'already_reacted',
  'too_many_emoji',
  'too_many_reactions',
)
export class ReactionsAddArgs {
  @IsConversationId(CHANNEL)
  channel!: string;

  /** Microseconds. */
  @TsArg(TIMESTAMP)
  timestamp!: number;

  /** As sent, skin tone included. */
  @StringArg(NAME)
  name!: string;
}

/** Arguments of reactions.remove. */
@ErrorOrder(
  'no_item_specified',
  'invalid_arguments',
  'invalid_name',
  'bad_timestamp',
  'channel_not_found',
  'is_archived',
  'not_in_channel',
  'message_not_found',
  'no_reaction',
)
export class ReactionsRemoveArgs {
  @IsConversationId(CHANNEL)
  channel!: string;

  /** Microseconds. */
  @TsArg(TIMESTAMP)
  timestamp!: number;

  /** As sent, skin tone included. */
  @StringArg(NAME)
  name!: string;

  @StringArg({ notes: 'not supported' })
  file?: string;

  @StringArg({ notes: 'not supported' })
  file_comment?: string;
}

/** Arguments of reactions.get. */
@ErrorOrder('no_item_specified', 'bad_timestamp', 'channel_not_found', 'message_not_found')
export class ReactionsGetArgs {
  @IsConversationId(CHANNEL)
  channel!: string;

  /** Microseconds. */
  @TsArg(TIMESTAMP)
  timestamp!: number;

  @BooleanArg({ notes: 'accepted, no effect: reactions are always whole' })
  full?: boolean;
}

/** Arguments of reactions.list. */
@ErrorOrder('invalid_arguments', 'invalid_limit', 'user_not_found', 'invalid_cursor')
@Rule<ReactionsListArgs>((args, _report, raw) => {
  args.isPaged = [raw['page'], raw['count']].some((value) => value !== undefined && value !== null && value !== '');
})
export class ReactionsListArgs {
  /** Undefined: the caller. */
  @StringArg({ documentedDefault: 'caller', notes: 'user id' })
  user?: string;

  @BooleanArg({ notes: 'accepted, no effect: reactions are always whole' })
  full?: boolean;

  @LimitArg({ default: 100, max: 1000, notes: 'larger is clamped' })
  limit!: number;

  /** As sent: an unknown user is reported first. */
  @UnreadCursorArg()
  cursor?: string;

  @IntegerArg({ default: 100, max: 100, notes: 'page size, with page' })
  count!: number;

  @IntegerArg({ default: 1, max: 1_000_000, min: 1, notes: '1-based' })
  page!: number;

  /** Pages are asked for by number. */
  isPaged!: boolean;
}
