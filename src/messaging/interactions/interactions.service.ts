import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';
import { RestError } from '../../kernel/http/http-error.js';
import { AppsAccess } from '../model/apps-access.js';
import { channelLabel } from '../model/channel-label.js';
import { MessagingError } from '../model/codes.js';
import { ConversationAccess } from '../model/conversation-access.js';
import type { Identity } from '../model/identity.js';
import { formatTs, parseTs } from '../model/message-ts.js';
import { messageWire } from '../model/message-wire.js';
import { newTriggerId, ResponseUrls } from '../model/response-urls.js';
import { AppRequests } from '../rest/app-requests.js';
import { findElement, readClick, type Click, type Clicked } from './click.js';

type Json = Record<string, unknown>;

const CLICKED_MESSAGE = statement(
  'chat_clicked_message',
  `SELECT ${messageWire('m', 'NULL::text[]')} AS wire, w.domain
   FROM messages m, workspaces w WHERE m.conversation_id = $1 AND m.ts = $2 AND w.id = $3`,
);

/** Clicks on messages of apps, forwarded to the app (messaging.md E.8). */
@Injectable()
export class Interactions {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly apps: AppsAccess,
    private readonly conversations: ConversationAccess,
    private readonly requests: AppRequests,
    private readonly responseUrls: ResponseUrls,
  ) {}

  /**
   * @throws BadRequestException; MessagingError channel_not_found, message_not_found; RestError 404 action_not_found,
   *   409 no_interactivity_url, 502
   */
  async play(caller: Identity, body: Json): Promise<object> {
    const click = readClick(body);
    const conversation = await this.conversations.find(caller, click.channel);
    if (!conversation) throw new MessagingError('channel_not_found');
    const ts = parseTs(click.messageTs);
    const [row] =
      ts === undefined
        ? []
        : await this.db.read<{ wire: string; domain: string }>(CLICKED_MESSAGE, [
            conversation.id,
            ts,
            caller.workspaceId,
          ]);
    if (!row || ts === undefined) throw new MessagingError('message_not_found');
    const message = JSON.parse(row.wire) as Json;
    const clicked = findElement(message, click.actionId, click.blockId);
    if (!clicked) throw new RestError(404, 'action_not_found');
    const { app_id: appId } = message;
    const app = typeof appId === 'string' ? await this.apps.find(caller.workspaceId, appId) : null;
    if (!app?.interactivityUrl) throw new RestError(409, 'no_interactivity_url');

    const triggerId = newTriggerId(this.clock.nowMs());
    const responseUrl = await this.responseUrls.issue({
      workspaceId: caller.workspaceId,
      appId: app.id,
      userId: caller.userId,
      conversationId: conversation.id,
      messageTs: ts,
    });
    const payload = {
      type: 'block_actions',
      user: { id: caller.userId, username: caller.userName, name: caller.userName, team_id: caller.workspaceId },
      api_app_id: app.id,
      token: app.verificationToken,
      container: { type: 'message', message_ts: formatTs(ts), channel_id: conversation.id, is_ephemeral: false },
      trigger_id: triggerId,
      team: { id: caller.workspaceId, domain: row.domain },
      enterprise: null,
      is_enterprise_install: false,
      channel: { id: conversation.id, name: channelLabel(conversation) },
      message,
      state: click.state,
      response_url: responseUrl,
      actions: [toAction(click, clicked, formatTs(this.clock.nowMicros()))],
    };
    const answer = await this.requests.form(app.interactivityUrl, app.signingSecret, {
      payload: JSON.stringify(payload),
    });
    return {
      status_code: answer.status,
      trigger_id: triggerId,
      response_url: responseUrl,
      response: toResponse(answer.text),
    };
  }
}

const toAction = (click: Click, { element, blockId }: Clicked, actionTs: string): object => ({
  type: element['type'],
  action_id: click.actionId,
  block_id: blockId,
  text: element['text'],
  value: element['value'] ?? click.value,
  ...click.chosen,
  action_ts: actionTs,
});

/** Parsed JSON, text, or null for nothing. */
function toResponse(text: string): unknown {
  if (text.trim() === '') return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
