import { Injectable } from '@nestjs/common';
import { RestError } from '../../kernel/http/http-error.js';
import { AppsAccess, type App } from '../access/apps-access.js';
import { ConversationAccess } from '../access/conversation-access.js';
import type { Identity } from '../access/identity.js';
import { Dialogs, type OpenDialog } from '../surfaces/dialogs.js';
import { ResponseUrls } from '../surfaces/response-urls.js';
import { channelLabel } from '../wire/channel-label.js';
import { submissionOf } from '../wire/dialog-content.js';
import { isJsonObject } from '../wire/text.js';
import { objects } from './actions.js';
import { InteractionCalls, readAnswer, type Interaction } from './interaction-calls.js';

type Json = Record<string, unknown>;

/** The result of a submission: errors by the names of elements keep the dialog open. */
export interface DialogSubmitted {
  readonly closed: boolean;
  readonly errors: Readonly<Record<string, string>>;
  /** Absent when nothing was sent. */
  readonly interaction?: Interaction;
}

/** People's actions on dialogs (docs/reference/chat.md#dialogs). */
@Injectable()
export class DialogActions {
  constructor(
    private readonly apps: AppsAccess,
    private readonly conversations: ConversationAccess,
    private readonly responseUrls: ResponseUrls,
    private readonly dialogs: Dialogs,
    private readonly calls: InteractionCalls,
  ) {}

  /** Null: this person has no such dialog open. */
  find(person: Identity, id: string): Promise<OpenDialog | null> {
    return this.dialogs.find(person.workspaceId, person.userId, id);
  }

  /** Sends what was entered. @throws RestError 409 no_interactivity_url; AppFailure: the dialog stays open */
  async submit(person: Identity, dialog: OpenDialog, entered: Json): Promise<DialogSubmitted> {
    const { submission, errors } = submissionOf(dialog.content, entered);
    if (Object.keys(errors).length > 0) return { closed: false, errors };
    const app = await this.calls.requireInteractivity(await this.appOf(dialog));
    const reply = await this.calls.send(person, app, {
      type: 'dialog_submission',
      submission,
      ...(await this.about(person, dialog, app)),
    });
    const interaction = { reply };
    const answer = readAnswer(reply.text);
    const said = isJsonObject(answer) ? objects(answer['errors']) : [];
    if (said.length > 0) {
      const named = said.map(({ name, error }) => [String(name), String(error)]);
      return { closed: false, errors: Object.fromEntries(named) as Record<string, string>, interaction };
    }
    await this.dialogs.close(person.tenantId, dialog);
    return { closed: true, errors: {}, interaction };
  }

  /** Closes it; apps that ask for it (`notify_on_cancel`) are told, if they can be reached. @throws AppFailure */
  async close(person: Identity, dialog: OpenDialog): Promise<void> {
    const isClosed = await this.dialogs.close(person.tenantId, dialog);
    const app = await this.appOf(dialog);
    if (!isClosed || !app || dialog.content.notify_on_cancel !== true || !(await this.calls.reaches(app))) return;
    await this.calls.send(person, app, { type: 'dialog_cancellation', ...(await this.about(person, dialog, app)) });
  }

  /** Options that the app offers for typed text. @throws RestError 404 action_not_found, 409; AppFailure */
  async suggest(person: Identity, dialog: OpenDialog, name: string, value: string): Promise<Interaction> {
    const element = dialog.content.elements.find((one) => one.name === name && one.data_source === 'external');
    if (!element) throw new RestError(404, 'action_not_found');
    const owner = await this.appOf(dialog);
    const url = owner?.manifest.settings?.interactivity?.message_menu_options_url ?? owner?.interactivityUrl ?? null;
    const app = await this.calls.requireInteractivity(owner, url);
    const about = await this.about(person, dialog, app, false);
    return { reply: await this.calls.send(person, app, { type: 'dialog_suggestion', name, value, ...about }, url) };
  }

  private appOf({ workspaceId, appId }: OpenDialog): Promise<App | null> {
    return this.apps.find(workspaceId, appId);
  }

  /** What all payloads of a dialog have. */
  private async about(person: Identity, dialog: OpenDialog, app: App, canRespond = true): Promise<Json> {
    const { content, conversationId } = dialog;
    const conversation = conversationId === null ? null : await this.conversations.find(person, conversationId);
    const responseUrl =
      conversation && canRespond
        ? await this.responseUrls.issue({
            workspaceId: person.workspaceId,
            appId: app.id,
            userId: person.userId,
            conversationId: conversation.id,
            messageTs: null,
            sandbox: person.sandbox,
          })
        : '';
    return {
      callback_id: content.callback_id,
      state: content.state ?? '',
      ...(conversation && { channel: { id: conversation.id, name: channelLabel(conversation) } }),
      action_ts: this.calls.now(),
      ...(canRespond && { response_url: responseUrl }),
    };
  }
}
