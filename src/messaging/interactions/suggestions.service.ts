import { Injectable } from '@nestjs/common';
import type { App } from '../access/apps-access.js';
import type { Identity } from '../access/identity.js';
import { channelLabel } from '../wire/channel-label.js';
import { toWireView, type View } from '../wire/view-wire.js';
import { blocksOf, findElement, type Action } from './actions.js';
import { InteractionCalls, type Interaction } from './interaction-calls.js';
import { containerOf, MessageActions, type MessageAddress } from './message-actions.service.js';
import { ViewActions } from './view-actions.service.js';

/** Options that an app offers for typed text. */
@Injectable()
export class Suggestions {
  constructor(
    private readonly calls: InteractionCalls,
    private readonly messages: MessageActions,
    private readonly views: ViewActions,
  ) {}

  /** @throws MessagingError; RestError 404 action_not_found, 409 no_interactivity_url; AppFailure */
  async inMessage(person: Identity, at: MessageAddress, action: Action): Promise<Interaction> {
    const seen = await this.messages.see(person, at);
    const { blockId } = findElement(blocksOf(seen.message), action, person.userId);
    return this.ask(person, await this.messages.appOf(person, seen.message), action, blockId, {
      container: containerOf(seen),
      channel: { id: seen.conversation.id, name: channelLabel(seen.conversation) },
      message: seen.message,
    });
  }

  async inView(person: Identity, view: View, action: Action): Promise<Interaction> {
    const { blockId } = findElement(view.content.blocks, action, person.userId);
    return this.ask(person, await this.views.appOf(view), action, blockId, {
      container: { type: 'view', view_id: view.id },
      view: toWireView(view),
    });
  }

  private async ask(
    person: Identity,
    owner: App | null,
    action: Action,
    blockId: string,
    where: Record<string, unknown>,
  ): Promise<Interaction> {
    const url = owner?.manifest.settings?.interactivity?.message_menu_options_url ?? owner?.interactivityUrl ?? null;
    const app = await this.calls.requireInteractivity(owner, url);
    const payload = {
      type: 'block_suggestion',
      action_id: action.actionId,
      block_id: blockId,
      value: typeof action.value === 'string' ? action.value : '',
      ...where,
    };
    return { reply: await this.calls.send(person, app, payload, url) };
  }
}
