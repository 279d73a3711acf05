import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { missing } from '../support/conversations.js';
import { modal, modalApp } from '../support/modal-app.js';
import { closeReceivers } from '../support/receiver.js';

const home = (more: Record<string, unknown> = {}) => ({ ...modal(more), type: 'home', title: undefined });

describe('views.publish', () => {
  const app = useApp();
  closeReceivers();

  it('makes one home per person and app, then replaces it', async () => {
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
});
