import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { missing } from '../support/conversations.js';
import { modal, modalApp } from '../support/modal-app.js';
import { closeReceivers } from '../support/receiver.js';

const home = (more: Record<string, unknown> = {}) => ({ ...modal(more), type: 'home', title: undefined });

describe('views.publish', () => {
  const app = useApp();
  closeReceivers();

  it('creates one home per user and app, then replaces it', async () => {
    const ws = await app.workspace();
    const { bot, person, id } = await modalApp(app, ws);
    const first = await bot.call('views.publish', { user_id: person.userId, view: home() });
    expect(first).toMatchObject({ ok: true, view: { type: 'home', app_id: id, close: null, state: { values: {} } } });
    expect(first.view).not.toHaveProperty('title');
    expect(first.view).not.toHaveProperty('submit');
    const second = await bot.call('views.publish', {
      user_id: person.userId,
      view: home({ callback_id: 'x' }),
      hash: first.view.hash,
    });
    expect(second.view).toMatchObject({ id: first.view.id, callback_id: 'x' });
    expect(await bot.call('views.publish', { user_id: person.userId, view: home(), hash: first.view.hash })).toEqual({
      ok: false,
      error: 'hash_conflict',
    });
  });

  it('answers invalid_arguments, view_too_large and not_enabled', async () => {
    const ws = await app.workspace();
    const { bot, person } = await modalApp(app, ws);
    const publish = (args: Record<string, unknown>) => bot.call('views.publish', args);
    expect(await publish({})).toEqual(missing('user_id', 'view'));
    expect(await publish({ user_id: 'U0NOTHING00', view: home() })).toEqual({
      ok: false,
      error: 'invalid_arguments',
      response_metadata: { messages: ['[ERROR] invalid user_id'] },
    });
    expect(await publish({ user_id: person.userId, view: modal() })).toEqual({
      ok: false,
      error: 'invalid_arguments',
      response_metadata: { messages: ['[ERROR] unsupported type: modal [json-pointer:/view/type]'] },
    });
    const text = { type: 'plain_text', text: 'x'.repeat(2990) };
    const large = home({ blocks: Array.from({ length: 90 }, () => ({ type: 'section', text })) });
    expect(await publish({ user_id: person.userId, view: large })).toEqual({ ok: false, error: 'view_too_large' });
    const off = await modalApp(app, ws, { features: { app_home: { home_tab_enabled: false } } });
    expect(await off.bot.call('views.publish', { user_id: person.userId, view: home() })).toEqual({
      ok: false,
      error: 'not_enabled',
    });
  });

  it('accepts clicks of its user with block_actions; before it is published there is nothing to click', async () => {
    const modals = await modalApp(app, await app.workspace());
    const click = { app_id: modals.id, home: true, action_id: 'go' };
    const early = await modals.act('click', click);
    expect([early.status, early.body.message]).toEqual([404, 'view_not_found']);
    const button = { type: 'button', action_id: 'go', value: '1', text: { type: 'plain_text', text: 'Go' } };
    const view = { type: 'home', blocks: [{ type: 'actions', block_id: 'row', elements: [button] }] };
    const published = await modals.bot.call('views.publish', { user_id: modals.person.userId, view });
    const clicked = await modals.act('click', click);
    expect([clicked.status, clicked.body.result]).toEqual([200, { trigger_id: expect.any(String) }]);
    const sent = modals.payload();
    expect(sent).toMatchObject({
      type: 'block_actions',
      trigger_id: clicked.body.result.trigger_id,
      container: { type: 'view', view_id: published.view.id },
      view: { id: published.view.id, type: 'home' },
      actions: [{ action_id: 'go', block_id: 'row', value: '1' }],
    });
    for (const key of ['channel', 'message', 'response_url']) expect(sent).not.toHaveProperty(key);
  });
});
