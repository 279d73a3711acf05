import { ErrorOrder, IgnoredArg, StringArg } from '../rpc/args/args.js';
import { ChatPostMessageArgs, CONTENT_ERRORS } from './chat.dto.js';

/** Arguments of chat.postEphemeral: those of chat.postMessage, and the reader. */
@ErrorOrder(
  ...CONTENT_ERRORS,
  'no_text',
  'channel_not_found',
  'is_archived',
  'not_in_channel',
  'user_not_in_channel',
  'cannot_reply_to_message',
)
export class ChatPostEphemeralArgs extends ChatPostMessageArgs {
  @StringArg({ required: true, notes: 'id of the member who is to see it' })
  user!: string;

  @IgnoredArg({ notes: 'accepted, no effect' })
  override reply_broadcast = false;

  @IgnoredArg({ notes: 'accepted, no effect' })
  override unfurl_links = undefined as never;
}
