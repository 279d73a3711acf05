import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { missing } from '../support/conversations.js';
import { modal, modalApp } from '../support/modal-app.js';
import { closeReceivers } from '../support/receiver.js';

describe('views.push', () => {
  const app = useApp();
  closeReceivers();

  it('stacks modals up to three: push_limit_reached', async () => {
    const ws = await app.workspace();
    const modals = await modalApp(app, ws);
    const call = async (method: string) =>
      modals.bot.call(method, { trigger_id: await modals.trigger(), view: modal() });
    expect(await call('views.push')).toEqual({ ok: false, error: 'not_found' });
    const { view: root } = await call('views.open');
    const { view: second } = await call('views.push');
    expect(second).toMatchObject({ previous_view_id: root.id, root_view_id: root.id });
    const { view: third } = await call('views.push');
    expect(third).toMatchObject({ previous_view_id: second.id, root_view_id: root.id });
    expect(await call('views.push')).toEqual({ ok: false, error: 'push_limit_reached' });
  });

  it('answers the same errors as views.open, duplicate_external_id before not_found', async () => {
    const ws = await app.workspace();
    const modals = await modalApp(app, ws);
    expect(await modals.bot.call('views.push', {})).toEqual(missing('trigger_id', 'view'));
    expect(await modals.bot.call('views.push', { trigger_id: 'x', view: modal() })).toEqual({
      ok: false,
      error: 'invalid_trigger_id',
    });
    const push = async (view: object, trigger_id?: string) =>
      (await modals.bot.call('views.push', { trigger_id: trigger_id ?? (await modals.trigger()), view }))
        .error as string;
    const text = { type: 'plain_text', text: 'x'.repeat(2990) };
    const large = modal({ blocks: Array.from({ length: 90 }, () => ({ type: 'section', text })) });
    expect(await push(large)).toBe('view_too_large');
    expect(await push(modal({ title: undefined }))).toBe('invalid_arguments');
    const [late, used] = [await modals.trigger(), await modals.trigger()];
    await modals.bot.call('views.open', { trigger_id: used, view: modal() });
    expect(await push(modal(), used)).toBe('exchanged_trigger_id');
    app.clock.advance(3_001);
    expect(await push(modal(), late)).toBe('expired_trigger_id');
    const view = modal({ external_id: 'one' });
    await modals.bot.call('views.publish', { user_id: ws.admin.id, view: { ...view, type: 'home' } });
    expect(await modals.bot.call('views.push', { trigger_id: await modals.trigger(), view })).toEqual({
      ok: false,
      error: 'duplicate_external_id',
    });
  });
});
