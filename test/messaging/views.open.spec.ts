import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { missing } from '../support/conversations.js';
import { input, label, modal, modalApp } from '../support/modal-app.js';
import { closeReceivers } from '../support/receiver.js';

const viewId: unknown = expect.stringMatching(/^V0[0-9A-Z]{9}$/);

const invalid = (reason: string, pointer: string): object => ({
  ok: false,
  error: 'invalid_arguments',
  response_metadata: { messages: [`[ERROR] ${reason} [json-pointer:${pointer}]`] },
});

describe('views.open', () => {
  const app = useApp();
  closeReceivers();

  it('opens a modal for the user of the trigger, and answers it in full', async () => {
    const ws = await app.workspace();
    const modals = await modalApp(app, ws);
    const answer = await modals.bot.call('views.open', {
      trigger_id: await modals.trigger(),
      view: JSON.stringify(
        modal({ callback_id: 'ask', private_metadata: 'm', external_id: 'e', notify_on_close: true }),
      ),
    });
    expect(answer).toEqual({
      ok: true,
      view: {
        id: viewId,
        team_id: ws.id,
        type: 'modal',
        blocks: [{ type: 'section', block_id: 's', text: label('hello') }],
        private_metadata: 'm',
        callback_id: 'ask',
        external_id: 'e',
        state: { values: {} },
        hash: expect.stringMatching(/^\d{10}\.[0-9a-f]{8}$/),
        title: { ...label('Ask'), emoji: true },
        submit: null,
        close: null,
        clear_on_close: false,
        notify_on_close: true,
        submit_disabled: false,
        previous_view_id: null,
        root_view_id: answer.view.id,
        app_id: modals.id,
        app_installed_team_id: ws.id,
        bot_id: modals.botId,
      },
    });
    expect((await ws.recorded('screen_changed')).at(-1)).toEqual({ app_id: modals.id });
  });

  it('has every input in its state, with initial values', async () => {
    const ws = await app.workspace();
    const modals = await modalApp(app, ws);
    const option = { text: label('A'), value: 'a' };
    const { view } = await modals.bot.call('views.open', {
      trigger_id: await modals.trigger(),
      view: modal({
        submit: label('Go'),
        blocks: [
          input('t', { type: 'plain_text_input', action_id: 'x', initial_value: 'hi' }),
          input('c', { type: 'checkboxes', action_id: 'x', options: [option] }),
          {
            type: 'actions',
            block_id: 'a',
            elements: [
              { type: 'button', action_id: 'b', text: label('b') },
              { type: 'static_select', action_id: 's', options: [option], initial_option: option },
              { type: 'users_select', action_id: 'u' },
            ],
          },
        ],
      }),
    });
    expect(view.state.values).toEqual({
      t: { x: { type: 'plain_text_input', value: 'hi' } },
      c: { x: { type: 'checkboxes', selected_options: [] } },
      a: {
        s: { type: 'static_select', selected_option: option },
        u: { type: 'users_select', selected_user: null },
      },
    });
  });

  it('answers invalid_arguments, for missing arguments first, then for the first fault with its path', async () => {
    const ws = await app.workspace();
    const { bot } = await modalApp(app, ws);
    const open = (args: Record<string, unknown>) => bot.call('views.open', args);
    expect(await open({})).toEqual(missing('trigger_id', 'view'));
    const withView = (view: unknown) => open({ trigger_id: 'x', view });
    for (const view of ['no JSON', '[]', [modal()], 5, true]) {
      expect(await withView(view)).toEqual(invalid('must be an object', '/view'));
    }
    expect(await withView(modal({ type: undefined }))).toEqual(invalid('missing required field: type', '/view'));
    expect(await withView(modal({ type: 'home' }))).toEqual(invalid('unsupported type: home', '/view/type'));
    expect(await withView(modal({ title: undefined }))).toEqual(invalid('missing required field: title', '/view'));
    expect(await withView(modal({ title: label('x'.repeat(25)) }))).toEqual(
      invalid('must be less than 25 characters', '/view/title/text'),
    );
    expect(await withView(modal({ title: { type: 'mrkdwn', text: 'x' } }))).toEqual(
      invalid('unsupported type: mrkdwn', '/view/title/type'),
    );
    expect(await withView(modal({ blocks: undefined }))).toEqual(invalid('missing required field: blocks', '/view'));
    expect(await withView(modal({ blocks: [] }))).toEqual(invalid('no less than 1 items allowed', '/view/blocks'));
    expect(await withView(modal({ blocks: Array.from({ length: 101 }, () => ({ type: 'divider' })) }))).toEqual(
      invalid('no more than 100 items allowed', '/view/blocks'),
    );
    expect(await withView(modal({ blocks: [{ type: 'section' }] }))).toEqual(
      invalid('missing required field: text', '/view/blocks/0'),
    );
    expect(await withView(modal({ submit: label('Go'), blocks: [input('b', { action_id: 'x' })] }))).toEqual(
      invalid('missing required field: type', '/view/blocks/0/element'),
    );
    expect(await withView(modal({ blocks: [input('b', { type: 'plain_text_input' })] }))).toEqual(
      invalid('missing required field: submit', '/view'),
    );
    expect(await withView(modal({ close: label('x'.repeat(25)) }))).toEqual(
      invalid('must be less than 25 characters', '/view/close/text'),
    );
    expect(await withView(modal({ private_metadata: 'x'.repeat(3001) }))).toEqual(
      invalid('must be less than 3001 characters', '/view/private_metadata'),
    );
    expect(await withView(modal({ callback_id: 'x'.repeat(256) }))).toMatchObject({ error: 'invalid_arguments' });
    expect(await withView(modal({ external_id: 'x'.repeat(256) }))).toMatchObject({ error: 'invalid_arguments' });
    expect(await withView(modal({ clear_on_close: 'yes' }))).toMatchObject({ error: 'invalid_arguments' });
    expect(await withView('no json')).toMatchObject({ error: 'invalid_arguments' });
  });

  it('answers view_too_large, invalid_trigger_id, expired_trigger_id and exchanged_trigger_id', async () => {
    const ws = await app.workspace();
    const modals = await modalApp(app, ws);
    const other = await modalApp(app, ws);
    const open = (trigger_id: string, view = modal()) => modals.bot.call('views.open', { trigger_id, view });
    const text = label('x'.repeat(2990));
    const large = modal({ blocks: Array.from({ length: 90 }, () => ({ type: 'section', text })) });
    const trigger = await modals.trigger();
    expect(await open(trigger, large)).toEqual({ ok: false, error: 'view_too_large' });
    for (const unknown of ['x', `${'1'.repeat(13)}.${'1'.repeat(12)}.${'a'.repeat(24)}`, await other.trigger()]) {
      expect(await open(unknown)).toEqual({ ok: false, error: 'invalid_trigger_id' });
    }
    expect(await open(trigger)).toMatchObject({ ok: true });
    expect(await open(trigger)).toEqual({ ok: false, error: 'exchanged_trigger_id' });
    const late = await modals.trigger();
    app.clock.advance(3_001);
    expect(await open(late)).toEqual({ ok: false, error: 'expired_trigger_id' });
  });

  it('answers duplicate_external_id, which leaves the trigger valid; another user may have the same external_id', async () => {
    const ws = await app.workspace();
    const modals = await modalApp(app, ws);
    const view = modal({ external_id: 'one' });
    await modals.bot.call('views.publish', { user_id: ws.admin.id, view: { ...view, type: 'home' } });
    const trigger = await modals.trigger();
    expect(await modals.bot.call('views.open', { trigger_id: trigger, view })).toEqual({
      ok: false,
      error: 'duplicate_external_id',
    });
    const second = await modals.bot.call('views.open', { interactivity_pointer: trigger, view: modal() });
    expect(second).toMatchObject({ ok: true });
  });

  it('replaces the modal that the app had open for that user', async () => {
    const ws = await app.workspace();
    const modals = await modalApp(app, ws);
    const first = await modals.bot.call('views.open', { trigger_id: await modals.trigger(), view: modal() });
    await modals.bot.call('views.open', { trigger_id: await modals.trigger(), view: modal() });
    expect(await modals.bot.call('views.update', { view_id: first.view.id, view: modal() })).toEqual({
      ok: false,
      error: 'not_found',
    });
  });

  it('is for app tokens: a JWT is not_allowed_token_type', async () => {
    const ws = await app.workspace();
    const person = await ws.jwtClient();
    for (const method of ['views.open', 'views.push', 'views.update', 'views.publish']) {
      expect(await person.call(method, {})).toEqual({ ok: false, error: 'not_allowed_token_type' });
    }
    const user = await ws.userClient({ scopes: [] });
    expect(await user.call('views.open', {})).toMatchObject({ error: 'invalid_arguments' });
  });
});
