import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { missing } from '../support/conversations.js';
import { modal, modalApp } from '../support/modal-app.js';
import { closeReceivers } from '../support/receiver.js';

describe('views.update', () => {
  const app = useApp();
  closeReceivers();

  it('keeps id and position, changes the hash, and finds the view by either id', async () => {
    const ws = await app.workspace();
    const modals = await modalApp(app, ws);
    const { view } = await modals.bot.call('views.open', {
      trigger_id: await modals.trigger(),
      view: modal({ external_id: 'mine' }),
    });
    const update = (args: Record<string, unknown>) => modals.bot.call('views.update', args);
    const first = await update({ view_id: view.id, view: modal({ callback_id: 'next' }), hash: view.hash });
    expect(first.view).toMatchObject({ id: view.id, callback_id: 'next', external_id: '' });
    expect(first.view.hash).not.toBe(view.hash);
    expect(await update({ view_id: view.id, view: modal(), hash: view.hash })).toEqual({
      ok: false,
      error: 'hash_conflict',
    });
    const { view: named } = await update({ view_id: view.id, view: modal({ external_id: 'again' }) });
    expect((await update({ external_id: 'again', view: modal({ external_id: 'again' }) })).view.id).toBe(named.id);
    await modals.bot.call('views.push', { trigger_id: await modals.trigger(), view: modal({ external_id: 'top' }) });
    expect(await update({ view_id: view.id, view: modal({ external_id: 'top' }) })).toEqual({
      ok: false,
      error: 'duplicate_external_id',
    });
  });

  it('answers invalid_arguments, view_too_large and not_found', async () => {
    const ws = await app.workspace();
    const modals = await modalApp(app, ws);
    const other = await modalApp(app, ws);
    const { view } = await other.bot.call('views.open', { trigger_id: await other.trigger(), view: modal() });
    const update = (args: Record<string, unknown>) => modals.bot.call('views.update', args);
    expect(await update({})).toEqual(missing('view', 'view_id'));
    expect(await update({ view: modal({ title: undefined }) })).toMatchObject({
      response_metadata: {
        messages: [
          '[ERROR] missing required field: view_id',
          '[ERROR] missing required field: title [json-pointer:/view]',
        ],
      },
    });
    const text = { type: 'plain_text', text: 'x'.repeat(2990) };
    const large = modal({ blocks: Array.from({ length: 90 }, () => ({ type: 'section', text })) });
    expect(await update({ view_id: 'V0NOSUCHVIE', view: large })).toEqual({ ok: false, error: 'view_too_large' });
    for (const id of ['V0NOSUCHVIE', 'x', view.id]) {
      expect(await update({ view_id: id, view: modal() })).toEqual({ ok: false, error: 'not_found' });
    }
    app.clock.advance(25 * 3_600_000);
    expect(await other.bot.call('views.update', { view_id: view.id, view: modal() })).toEqual({
      ok: false,
      error: 'not_found',
    });
  });
});
