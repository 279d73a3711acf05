import { BadRequestException, Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { AppsAccess, type App } from '../access/apps-access.js';
import type { Identity } from '../access/identity.js';
import { Views, type ViewOwner } from '../surfaces/views.js';
import { holdsValue } from '../wire/element-values.js';
import { emptyInputs, InvalidValues, readValues, withEntered, type EnteredValue } from '../wire/view-state.js';
import { toWireView, type View } from '../wire/view-wire.js';
import { findElement, toAction, type Action } from './actions.js';
import { InteractionCalls, readAnswer, type Interaction } from './interaction-calls.js';
import { readResponse, ResponseActions, type Submitted } from './response-actions.service.js';

type Json = Record<string, unknown>;

const notFound = (): RestError => new RestError(404, 'view_not_found');

/** People's actions on modals and homes. */
@Injectable()
export class ViewActions {
  constructor(
    private readonly db: Db,
    private readonly apps: AppsAccess,
    private readonly views: Views,
    private readonly calls: InteractionCalls,
    private readonly responses: ResponseActions,
  ) {}

  /**
   * A view that this person has open: a home, or the top of a stack.
   * @throws RestError 404 view_not_found
   */
  async see(person: Identity, id: string): Promise<View> {
    const view = await this.views.find(person.workspaceId, id);
    if (!view || view.userId !== person.userId) throw notFound();
    if (view.depth === 0) return view;
    if ((await this.views.stack(undefined, view)).at(-1)?.id !== id) throw notFound();
    return view;
  }

  /** The same for modals alone. */
  private async top(person: Identity, id: string): Promise<View> {
    const view = await this.see(person, id);
    if (view.depth === 0) throw notFound();
    return view;
  }

  /** The home of an app before this person. @throws RestError 404 view_not_found */
  async home(person: Identity, appId: string): Promise<View> {
    const views = await this.views.ofUser(person.workspaceId, person.userId, appId);
    const home = views.find((view) => view.depth === 0);
    if (!home) throw notFound();
    return home;
  }

  /**
   * Stores the choice and notifies the app, unless the element is in an input that waits for the submission: null then.
   * @throws RestError 404 action_not_found, 400 invalid_option, 409 no_interactivity_url; AppFailure
   */
  async click(person: Identity, view: View, action: Action): Promise<Interaction | null> {
    const actedOn = findElement(view.content.blocks, action, person.userId);
    const { wire, choice } = toAction(action, actedOn, this.calls.now());
    const isInput = actedOn.block['type'] === 'input';
    const isDispatched = !isInput || actedOn.block['dispatch_action'] === true;
    const app = isDispatched ? await this.calls.requireInteractivity(await this.appOf(view)) : null;
    const current = holdsValue(actedOn.element)
      ? await this.store(view, [
          {
            blockId: actedOn.blockId,
            actionId: action.actionId,
            element: actedOn.element,
            entry: { type: actedOn.element['type'], ...choice },
            isDispatched,
          },
        ])
      : view;
    return app ? this.sendAction(person, app, current, wire) : null;
  }

  /**
   * Stores typed text; inputs that dispatch their actions send them to the app, one after the other.
   * @throws BadRequestException invalid_values; RestError 409 no_interactivity_url; AppFailure
   */
  async type(person: Identity, view: View, values: Json): Promise<{ view: View; interactions: Interaction[] }> {
    const read = valuesFor(view, values);
    const dispatched = read.filter((value) => value.isDispatched);
    const app = dispatched.length > 0 ? await this.calls.requireInteractivity(await this.appOf(view)) : null;
    const current = await this.store(view, read);
    const interactions: Interaction[] = [];
    for (const { blockId, actionId, element, entry } of dispatched) {
      const { type: _, ...chosen } = entry;
      const action = { type: element['type'], action_id: actionId, block_id: blockId, ...chosen };
      if (app)
        interactions.push(await this.sendAction(person, app, current, { ...action, action_ts: this.calls.now() }));
    }
    return { view: current, interactions };
  }

  /**
   * Submits the entered values and carries out the app's answer. Empty required inputs are returned as errors, and
   * nothing is sent.
   * @throws BadRequestException invalid_values; RestError 404, 409; AppFailure: the view stays open
   */
  async submit(person: Identity, viewId: string, values: Json | undefined): Promise<Submitted> {
    const seen = await this.top(person, viewId);
    const read = values === undefined ? [] : valuesFor(seen, values);
    const app = await this.calls.requireInteractivity(await this.appOf(seen));
    const view = read.length > 0 ? await this.store(seen, read) : seen;
    const empty = emptyInputs(view.content.blocks, view.entered);
    if (empty.length > 0) {
      return { closed: false, errors: Object.fromEntries(empty.map((id) => [id, 'required'])), view };
    }
    const triggerId = await this.calls.newTrigger(person, app);
    const reply = await this.calls.send(person, app, {
      type: 'view_submission',
      trigger_id: triggerId,
      view: toWireView(view),
      response_urls: [],
    });
    const interaction = { reply, triggerId };
    const carriedOut = await this.responses.carryOut(ownerOf(person, view), view, readResponse(readAnswer(reply.text)));
    return { ...carriedOut, interaction };
  }

  /**
   * Closes the top modal, or with `all` the stack. Apps that ask for it (`notify_on_close`) are notified, if they can
   * be reached.
   * @throws RestError 404 view_not_found; AppFailure, when it is closed all the same
   */
  async close(
    person: Identity,
    viewId: string,
    all: boolean,
  ): Promise<{ top: View | null; interactions: Interaction[] }> {
    const view = await this.top(person, viewId);
    const isCleared = all || view.content.clear_on_close;
    const closed = await this.db.write((tx) => this.views.close(tx, ownerOf(person, view), viewId, isCleared));
    if (!closed) throw notFound();
    const app = await this.appOf(view);
    const interactions: Interaction[] = [];
    if (app && (await this.calls.reaches(app))) {
      for (const gone of closed.gone.filter((one) => one.content.notify_on_close)) {
        const payload = { type: 'view_closed', view: toWireView(gone), is_cleared: isCleared };
        interactions.push({ reply: await this.calls.send(person, app, payload) });
      }
    }
    return { top: closed.top, interactions };
  }

  appOf(view: View): Promise<App | null> {
    return this.apps.find(view.workspaceId, view.appId);
  }

  private store(view: View, values: readonly EnteredValue[]): Promise<View> {
    return this.db.write((tx) => this.views.enter(tx, view, withEntered(view.entered, values)));
  }

  private async sendAction(person: Identity, app: App, view: View, action: object): Promise<Interaction> {
    const triggerId = await this.calls.newTrigger(person, app);
    const reply = await this.calls.send(person, app, {
      type: 'block_actions',
      container: { type: 'view', view_id: view.id },
      trigger_id: triggerId,
      view: toWireView(view),
      actions: [action],
    });
    return { reply, triggerId };
  }
}

const ownerOf = (person: Identity, view: View): ViewOwner => ({
  tenantId: person.tenantId,
  workspaceId: view.workspaceId,
  appId: view.appId,
  botId: view.botId,
  userId: view.userId,
});

/** 400 with `invalid_values`, and the path behind it. */
function valuesFor(view: View, values: Json): EnteredValue[] {
  const read = readValues(view.content.blocks, values);
  if (read instanceof InvalidValues) throw new BadRequestException(['invalid_values', read.path]);
  return read;
}
