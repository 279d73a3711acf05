import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { AppsAccess, type App } from '../access/apps-access.js';
import { ConversationAccess } from '../access/conversation-access.js';
import type { Identity, VisibleConversation } from '../access/identity.js';
import { EphemeralMessages } from '../messages/ephemeral-messages.js';
import { formatTs, parseTs } from '../store/message-ts.js';
import { ResponseUrls } from '../surfaces/response-urls.js';
import { channelLabel } from '../wire/channel-label.js';
import { MessagingError } from '../wire/codes.js';
import { blocksOf, findElement, toAction, type Action } from './actions.js';
import { InteractionCalls, type Interaction } from './interaction-calls.js';
import { MESSAGE_WITH_ACTIONS } from './message-actions.queries.js';

type Json = Record<string, unknown>;

/** A message by its address, as it was named. */
export interface MessageAddress {
  readonly channel: string;
  readonly messageTs: string;
}

/** The message of an action, with the conversation in which the person sees it. */
export interface SeenMessage {
  readonly conversation: VisibleConversation;
  readonly ts: number;
  readonly message: Json;
  readonly isEphemeral: boolean;
}

/** People's actions on messages of apps. */
@Injectable()
export class MessageActions {
  constructor(
    private readonly db: Db,
    private readonly apps: AppsAccess,
    private readonly conversations: ConversationAccess,
    private readonly ephemeral: EphemeralMessages,
    private readonly responseUrls: ResponseUrls,
    private readonly calls: InteractionCalls,
  ) {}

  /** @throws MessagingError channel_not_found, message_not_found; RestError 404, 400 invalid_option, 409; AppFailure */
  async click(person: Identity, at: MessageAddress, action: Action, state: Json): Promise<Interaction> {
    const seen = await this.see(person, at);
    const actedOn = findElement(blocksOf(seen.message), action, person.userId);
    const app = await this.calls.requireInteractivity(await this.appOf(person, seen.message));
    const { wire } = toAction(action, actedOn, this.calls.now());
    const triggerId = await this.calls.newTrigger(person, app, seen.conversation.id);
    const responseUrl = await this.responseUrl(person, app, seen);
    const reply = await this.calls.send(person, app, {
      type: 'block_actions',
      container: containerOf(seen),
      trigger_id: triggerId,
      channel: { id: seen.conversation.id, name: channelLabel(seen.conversation) },
      message: seen.message,
      state,
      response_url: responseUrl,
      actions: [wire],
    });
    return { reply, triggerId, responseUrl };
  }

  /**
   * A message that this person may see, including ephemeral ones.
   * @throws MessagingError channel_not_found, message_not_found
   */
  async see(person: Identity, at: MessageAddress): Promise<SeenMessage> {
    const conversation = await this.conversations.find(person, at.channel);
    if (!conversation) throw new MessagingError('channel_not_found');
    const ts = parseTs(at.messageTs);
    if (ts === undefined) throw new MessagingError('message_not_found');
    const [row] = await this.db.read<{ wire: string }>(MESSAGE_WITH_ACTIONS, [conversation.id, ts]);
    if (row) return { conversation, ts, message: JSON.parse(row.wire) as Json, isEphemeral: false };
    const own = await this.ephemeral.find(person.workspaceId, conversation.id, person.userId, ts);
    if (!own) throw new MessagingError('message_not_found');
    return { conversation, ts, message: JSON.parse(own.wire) as Json, isEphemeral: true };
  }

  /** The app whose message it is, if any. */
  async appOf(person: Identity, message: Json): Promise<App | null> {
    const { app_id: appId } = message;
    return typeof appId === 'string' ? this.apps.find(person.workspaceId, appId) : null;
  }

  responseUrl(person: Identity, app: App, { conversation, ts }: SeenMessage): Promise<string> {
    return this.responseUrls.issue({
      workspaceId: person.workspaceId,
      appId: app.id,
      userId: person.userId,
      conversationId: conversation.id,
      messageTs: ts,
      sandbox: person.sandbox,
    });
  }
}

export const containerOf = ({ conversation, ts, isEphemeral }: SeenMessage): object => ({
  type: 'message',
  message_ts: formatTs(ts),
  channel_id: conversation.id,
  is_ephemeral: isEphemeral,
});
