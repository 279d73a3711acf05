import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { type App } from '../access/apps-access.js';
import type { Identity } from '../access/identity.js';
import { formatTs } from '../store/message-ts.js';
import { channelLabel } from '../wire/channel-label.js';
import { InteractionCalls, type Interaction } from './interaction-calls.js';
import { MessageActions, type MessageAddress } from './message-actions.service.js';
import { APP_OF_SHORTCUT } from './shortcuts.queries.js';

/** Shortcuts that apps' manifests declare: global ones, and those of messages. */
@Injectable()
export class Shortcuts {
  constructor(
    private readonly db: Db,
    private readonly calls: InteractionCalls,
    private readonly messages: MessageActions,
  ) {}

  /** @throws RestError 404 shortcut_not_found, 409 no_interactivity_url; AppFailure */
  async global(person: Identity, callbackId: string, appId?: string): Promise<Interaction> {
    const app = await this.calls.requireInteractivity(await this.find(person, callbackId, 'global', appId));
    const triggerId = await this.calls.newTrigger(person, app);
    const payload = {
      type: 'shortcut',
      callback_id: callbackId,
      trigger_id: triggerId,
      action_ts: this.calls.now(),
    };
    return { reply: await this.calls.send(person, app, payload), triggerId };
  }

  /** @throws the same, and MessagingError channel_not_found, message_not_found */
  async ofMessage(person: Identity, callbackId: string, at: MessageAddress, appId?: string): Promise<Interaction> {
    const owner = await this.find(person, callbackId, 'message', appId);
    const seen = await this.messages.see(person, at);
    const app = await this.calls.requireInteractivity(owner);
    const triggerId = await this.calls.newTrigger(person, app, seen.conversation.id);
    const responseUrl = await this.messages.responseUrl(person, app, seen);
    const payload = {
      type: 'message_action',
      callback_id: callbackId,
      trigger_id: triggerId,
      action_ts: this.calls.now(),
      message_ts: formatTs(seen.ts),
      channel: { id: seen.conversation.id, name: channelLabel(seen.conversation) },
      message: seen.message,
      response_url: responseUrl,
    };
    return { reply: await this.calls.send(person, app, payload), triggerId, responseUrl };
  }

  private async find(
    person: Identity,
    callbackId: string,
    type: 'global' | 'message',
    appId: string | undefined,
  ): Promise<App> {
    const values = [person.workspaceId, callbackId, type, appId ?? null];
    const [app] = await this.db.read<App & { [column: string]: unknown }>(APP_OF_SHORTCUT, values);
    if (!app) throw new RestError(404, 'shortcut_not_found');
    return app;
  }
}
