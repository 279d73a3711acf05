import { BadRequestException, Injectable } from '@nestjs/common';
import type { Identity } from '../access/identity.js';
import { isJsonObject } from '../wire/text.js';
import { toWireView } from '../wire/view-wire.js';
import { readAnswer, type Interaction } from './interaction-calls.js';
import { readClick, readInteraction, type InteractionRequest } from './interaction-request.js';
import { MessageActions } from './message-actions.service.js';
import { Shortcuts } from './shortcuts.service.js';
import { Suggestions } from './suggestions.service.js';
import { ViewActions } from './view-actions.service.js';

type Json = Record<string, unknown>;

/**
 * People's actions on what apps show, sent to the app (docs/reference/control-plane.md#interactions): one route for
 * every kind.
 */
@Injectable()
export class Interactions {
  constructor(
    private readonly messages: MessageActions,
    private readonly views: ViewActions,
    private readonly suggestions: Suggestions,
    private readonly shortcuts: Shortcuts,
  ) {}

  /**
   * @throws BadRequestException; MessagingError channel_not_found, message_not_found; RestError 404 action_not_found,
   *   view_not_found, shortcut_not_found, 400 invalid_option, 409 no_interactivity_url; AppFailure
   */
  async play(caller: Identity, body: Json): Promise<object> {
    const request = readInteraction(body);
    switch (request.type) {
      case 'block_actions':
        return show(await this.click(caller, request));
      case 'block_suggestion':
        return show(await this.suggest(caller, request));
      case 'view_submission':
        return this.submit(caller, request);
      case 'view_closed': {
        const { interactions } = await this.views.close(
          caller,
          request.text('view_id'),
          request.sent['clear'] === true,
        );
        return show(interactions.at(-1) ?? null);
      }
      case 'shortcut':
        return show(await this.shortcuts.global(caller, request.text('callback_id'), request.optional('app_id')));
      case 'message_action':
        return show(
          await this.shortcuts.ofMessage(
            caller,
            request.text('callback_id'),
            request.message(),
            request.optional('app_id'),
          ),
        );
    }
  }

  private async click(caller: Identity, request: InteractionRequest): Promise<Interaction | null> {
    const viewId = request.optional('view_id');
    const { at, action, state } = readClick(request, viewId === undefined);
    if (viewId !== undefined) return this.views.click(caller, await this.views.see(caller, viewId), action);
    return this.messages.click(caller, at, action, state);
  }

  private async suggest(caller: Identity, request: InteractionRequest): Promise<Interaction> {
    const viewId = request.optional('view_id');
    const { at, action } = readClick(request, viewId === undefined);
    if (viewId !== undefined) return this.suggestions.inView(caller, await this.views.see(caller, viewId), action);
    return this.suggestions.inMessage(caller, at, action);
  }

  private async submit(caller: Identity, request: InteractionRequest): Promise<object> {
    const { values } = request.sent;
    if (values !== undefined && values !== null && !isJsonObject(values)) {
      throw new BadRequestException(['values must be an object']);
    }
    const done = await this.views.submit(caller, request.text('view_id'), values ?? undefined);
    return {
      ...show(done.interaction ?? null),
      result: {
        closed: done.closed,
        errors: done.errors,
        view: done.view && toWireView(done.view),
        ...(done.error && { error: done.error, detail: done.detail }),
      },
    };
  }
}

/** Null when nothing was sent to the app. */
const show = (interaction: Interaction | null): object => ({
  status_code: interaction?.reply.status ?? null,
  transport: interaction?.reply.transport ?? null,
  trigger_id: interaction?.triggerId ?? null,
  response_url: interaction?.responseUrl ?? null,
  response: interaction ? readAnswer(interaction.reply.text) : null,
});
