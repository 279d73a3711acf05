import { BadRequestException, Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { toRestError } from '../rest/rest-errors.js';
import { hasBot } from '../access/apps-access.js';
import type { Identity } from '../access/identity.js';
import { Commands } from '../commands/commands.service.js';
import { appHomeOpened } from '../events/screen-events.js';
import { blocksOf, objects, readAction, type Action } from '../interactions/actions.js';
import { readAnswer } from '../interactions/interaction-calls.js';
import { actionFaults } from '../interactions/interaction-request.js';
import { DialogActions } from '../interactions/dialog-actions.service.js';
import { MessageActions, type MessageAddress } from '../interactions/message-actions.service.js';
import { Shortcuts } from '../interactions/shortcuts.service.js';
import { Suggestions } from '../interactions/suggestions.service.js';
import { ViewActions } from '../interactions/view-actions.service.js';
import { AppFailure } from '../rest/app-failure.js';
import type { OpenDialog } from '../surfaces/dialogs.js';
import { formatTs } from '../store/message-ts.js';
import { Views } from '../surfaces/views.js';
import { isAgent } from '../wire/agent-view.js';
import { isJsonObject } from '../wire/text.js';
import { toWireView, type View } from '../wire/view-wire.js';
import { ActNames } from './act-names.js';
import { AgentContexts } from './agent-contexts.js';
import { AgentVerbs } from './agent-verbs.js';
import type { Fields } from './fields.js';
import { requireOneForm, type VerbResult, type Verb, type Verbs } from './verbs.js';

type Json = Record<string, unknown>;

const MAX_OPTIONS = 100;

/** The surface of an action. */
type Surface = { readonly view: View } | { readonly at: MessageAddress };

/** People's actions on what apps show. An app's failure is part of the answer, not an error. */
@Injectable()
export class AppVerbs {
  readonly all: Verbs;

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly names: ActNames,
    private readonly commands: Commands,
    private readonly messages: MessageActions,
    private readonly viewActions: ViewActions,
    private readonly dialogs: DialogActions,
    private readonly suggestions: Suggestions,
    private readonly shortcuts: Shortcuts,
    private readonly views: Views,
    private readonly agents: AgentVerbs,
    private readonly contexts: AgentContexts,
  ) {
    const direct = (run: Verb['run']): Verb => ({ until: 'ack', isDirect: true, run });
    this.all = {
      command: direct((person, fields) => this.command(person, fields)),
      click: direct((person, fields) => this.click(person, fields)),
      type: direct((person, fields) => this.type(person, fields)),
      suggest: direct((person, fields) => this.suggest(person, fields)),
      submit: direct((person, fields) => this.submit(person, fields)),
      close: direct((person, fields) => this.close(person, fields)),
      shortcut: direct((person, fields) => this.shortcut(person, fields)),
      feedback: direct((person, fields) => this.feedback(person, fields)),
      home: { until: 'reply', isDirect: false, run: (person, fields) => this.home(person, fields) },
    };
  }

  /** Trigger and response URL ids are taken from the request, as they are valid even if the app fails. */
  private async command(person: Identity, fields: Fields): Promise<VerbResult> {
    const channel = await this.names.conversation(person, fields.text('channel'));
    const text = fields.sent['text'];
    if (text !== undefined && text !== null && typeof text !== 'string') {
      throw new BadRequestException(['text must be a string']);
    }
    const body = { command: fields.text('command'), channel_id: channel, ...(typeof text === 'string' && { text }) };
    const done = await unlessFailed(async () => {
      // its errors are those of the route that it stands for
      const answer = await this.commands.execute(person, body).catch((error: unknown) => {
        throw toRestError(error);
      });
      return answer as { message_ts: string | null };
    });
    return { result: { message_ts: done?.message_ts ?? null }, channel };
  }

  private async click(person: Identity, fields: Fields): Promise<VerbResult> {
    const action = readActed(fields);
    const surface = await this.surfaceOf(person, fields);
    if ('view' in surface) {
      await unlessFailed(() => this.viewActions.click(person, surface.view, action));
      return { result: {} };
    }
    const state = fields.object('state') ?? { values: {} };
    await unlessFailed(() => this.messages.click(person, surface.at, action, state));
    return { result: {}, channel: surface.at.channel };
  }

  /** Presses one of the two buttons that ask how an answer was. */
  private async feedback(person: Identity, fields: Fields): Promise<VerbResult> {
    const value = fields.text('value');
    if (value !== 'positive' && value !== 'negative')
      throw new BadRequestException(['value must be positive or negative']);
    const at = await this.addressOf(person, fields);
    const { message } = await this.messages.see(person, at);
    const actionId = fields.optional('action_id');
    const found = blocksOf(message).flatMap((block) =>
      objects(block['elements'])
        .filter(
          (one) => one['type'] === 'feedback_buttons' && (actionId === undefined || one['action_id'] === actionId),
        )
        .map((element) => ({ block, element })),
    );
    const [first] = found;
    if (!first) throw new RestError(404, 'action_not_found');
    const button = first.element[`${value}_button`] as Json | undefined;
    const action = {
      action_id: first.element['action_id'],
      block_id: first.block['block_id'],
      value: button?.['value'],
    };
    await unlessFailed(() => this.messages.click(person, at, readAction(action), { values: {} }));
    return { result: {}, channel: at.channel };
  }

  private async type(person: Identity, fields: Fields): Promise<VerbResult> {
    const values = fields.object('values');
    if (!values) throw new BadRequestException(['values must be an object']);
    const view = await this.viewActions.see(person, fields.text('view_id'));
    await unlessFailed(() => this.viewActions.type(person, view, values));
    const after = async (): Promise<Json> => ({ view: await this.shown(view) });
    return { result: await after(), later: after };
  }

  private async suggest(person: Identity, fields: Fields): Promise<VerbResult> {
    const action = readActed(fields);
    const dialog = await this.dialogOf(person, fields);
    if (dialog) {
      const typed = typeof action.value === 'string' ? action.value : '';
      const offered = await unlessFailed(() => this.dialogs.suggest(person, dialog, action.actionId, typed));
      return { result: readOptions(offered ? readAnswer(offered.reply.text) : null) };
    }
    const surface = await this.surfaceOf(person, fields);
    const done = await unlessFailed(() =>
      'view' in surface
        ? this.suggestions.inView(person, surface.view, action)
        : this.suggestions.inMessage(person, surface.at, action),
    );
    return {
      result: readOptions(done ? readAnswer(done.reply.text) : null),
      ...('at' in surface && { channel: surface.at.channel }),
    };
  }

  private async submit(person: Identity, fields: Fields): Promise<VerbResult> {
    const viewId = fields.text('view_id');
    const values = fields.object('values');
    const dialog = await this.dialogOf(person, fields);
    if (dialog) return this.submitDialog(person, dialog, values ?? {});
    try {
      const { closed, errors, view, error, detail } = await this.viewActions.submit(person, viewId, values);
      return { result: { closed, errors, view: view && toWireView(view), ...(error && { error, detail }) } };
    } catch (error) {
      if (!(error instanceof AppFailure)) throw error;
      const view = await this.views.find(person.workspaceId, viewId);
      return { result: { closed: false, errors: {}, view: view && toWireView(view), error: error.code } };
    }
  }

  private async close(person: Identity, fields: Fields): Promise<VerbResult> {
    const viewId = fields.text('view_id');
    const dialog = await this.dialogOf(person, fields);
    if (dialog) {
      await unlessFailed(() => this.dialogs.close(person, dialog));
      return { result: { closed: true, view: null } };
    }
    const view = await this.viewActions.see(person, viewId);
    await unlessFailed(() => this.viewActions.close(person, viewId, fields.flag('clear')));
    const top = (await this.views.stack(undefined, view)).at(-1);
    return { result: { closed: true, view: top ? toWireView(top) : null } };
  }

  private async shortcut(person: Identity, fields: Fields): Promise<VerbResult> {
    const callbackId = fields.text('callback_id');
    const appId = fields.optional('app_id');
    if (fields.optional('message_ts') === undefined) {
      await unlessFailed(() => this.shortcuts.global(person, callbackId, appId));
      return { result: {} };
    }
    const at = await this.addressOf(person, fields);
    await unlessFailed(() => this.shortcuts.ofMessage(person, callbackId, at, appId));
    return { result: {}, channel: at.channel };
  }

  private async home(person: Identity, fields: Fields): Promise<VerbResult> {
    const app = await this.names.app(person, fields.optional('app_id'));
    const tab = fields.optional('tab') ?? 'home';
    if (tab !== 'home' && tab !== 'messages') throw new BadRequestException(['tab must be home or messages']);
    const { home_tab_enabled: hasHome, messages_tab_enabled: hasMessages } = app.manifest.features?.app_home ?? {};
    if ((tab === 'home' ? hasHome : hasMessages) === false || !hasBot(app)) throw new RestError(409, 'not_enabled');
    const channel = await this.names.im(person, app.botUserId);
    const find = async (): Promise<object | undefined> => {
      const views = await this.views.ofUser(person.workspaceId, person.userId, app.id);
      const home = views.find((view) => view.depth === 0);
      return home && toWireView(home);
    };
    const view = tab === 'home' ? await find() : undefined;
    const context =
      tab === 'messages' && isAgent(app) ? await this.contexts.ofAgent(person, fields.sent['context']) : undefined;
    await this.db.write(async (tx) => {
      tx.record(
        appHomeOpened({
          tenantId: person.tenantId,
          workspaceId: person.workspaceId,
          conversation: { id: channel, type: 'im' },
          userId: person.userId,
          appId: app.id,
          tab,
          view,
          context,
          eventTs: formatTs(this.clock.nowMicros()),
        }),
      );
    });
    const later = async (): Promise<Json> => ({
      channel,
      view: tab === 'home' ? ((await find()) ?? null) : null,
      ...(await this.agents.promptsIn(person, channel, undefined, app)),
    });
    return { result: { channel, view: view ?? null }, channel, later };
  }

  private async submitDialog(person: Identity, dialog: OpenDialog, values: Json): Promise<VerbResult> {
    try {
      const { closed, errors } = await this.dialogs.submit(person, dialog, values);
      return { result: { closed, errors, view: null } };
    } catch (error) {
      if (!(error instanceof AppFailure)) throw error;
      return { result: { closed: false, errors: {}, view: null, error: error.code } };
    }
  }

  /** Dialogs have ids as views have. */
  private async dialogOf(person: Identity, fields: Fields): Promise<OpenDialog | null> {
    const id = fields.optional('view_id');
    return id === undefined ? null : this.dialogs.find(person, id);
  }

  /** A message, a view, or an app's home. @throws BadRequestException, RestError 404 view_not_found */
  private async surfaceOf(person: Identity, fields: Fields): Promise<Surface> {
    const viewId = fields.optional('view_id');
    if (viewId !== undefined) return { view: await this.viewActions.see(person, viewId) };
    if (fields.flag('home')) {
      const app = await this.names.app(person, fields.optional('app_id'));
      return { view: await this.viewActions.home(person, app.id) };
    }
    if (fields.optional('message_ts') === undefined) {
      requireOneForm('channel and message_ts, view_id, or app_id with home must say where');
    }
    return { at: await this.addressOf(person, fields) };
  }

  private async addressOf(person: Identity, fields: Fields): Promise<MessageAddress> {
    const messageTs = fields.text('message_ts');
    return { channel: await this.names.conversation(person, fields.text('channel')), messageTs };
  }

  private async shown(view: View): Promise<object | null> {
    const now = await this.views.find(view.workspaceId, view.id);
    return now && toWireView(now);
  }
}

/** The result after an app's failure: the deliveries show it. */
async function unlessFailed<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppFailure) return null;
    throw error;
  }
}

/** The action: its fields at the top, or as the only entry of `actions`. @throws BadRequestException */
function readActed({ sent }: Fields): Action {
  const { actions } = sent;
  const first: unknown = Array.isArray(actions) ? actions[0] : undefined;
  const action = isJsonObject(first) ? { ...sent, ...first } : sent;
  const faults = actionFaults(action, '');
  if (faults.length > 0) throw new BadRequestException(faults);
  return readAction(action);
}

function readOptions(answer: unknown): Json {
  if (!isJsonObject(answer)) return { options: [] };
  const { options, option_groups: groups } = answer;
  if (Array.isArray(groups)) return { options: [], option_groups: groups.slice(0, MAX_OPTIONS) };
  return { options: Array.isArray(options) ? options.slice(0, MAX_OPTIONS) : [] };
}
