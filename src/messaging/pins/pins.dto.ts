import { ErrorOrder, IsConversationId, TsArg } from '../rpc/args/args.js';

const CHANNEL = { notes: 'conversation id' };

/** What both operations report first. */
const PIN_ERRORS = [
  'invalid_arguments',
  'no_item_specified',
  'bad_timestamp',
  'channel_not_found',
  'is_archived',
  'not_in_channel',
  'message_not_found',
] as const;

/** Which message. */
class PinArgs {
  @IsConversationId(CHANNEL)
  channel!: string;

  /** Microseconds. */
  @TsArg({ required: true, missing: 'no_item_specified', code: 'bad_timestamp', notes: 'message ts' })
  timestamp!: number;
}

/** Arguments of pins.add. */
@ErrorOrder(...PIN_ERRORS, 'not_pinnable', 'already_pinned', 'too_many_pins')
export class PinsAddArgs extends PinArgs {}

/** Arguments of pins.remove. */
@ErrorOrder(...PIN_ERRORS, 'no_pin')
export class PinsRemoveArgs extends PinArgs {}

/** Arguments of pins.list. */
@ErrorOrder('invalid_arguments', 'channel_not_found')
export class PinsListArgs {
  @IsConversationId(CHANNEL)
  channel!: string;
}
