import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { modalApp, type Json } from '../support/modal-app.js';
import { closeReceivers } from '../support/receiver.js';
import { rest } from '../support/rest-client.js';

const refused = (error: string) => ({ ok: false, error });
const dialog = (more: Json = {}): Json => ({
  title: 'Order',
  callback_id: 'order',
  state: 'Limo',
  notify_on_cancel: true,
  elements: [
    { type: 'text', label: 'From', name: 'from', max_length: 10 },
    { type: 'textarea', label: 'Why', name: 'why', optional: true },
    { type: 'select', label: 'To', name: 'to', value: 'a', options: [{ label: 'A', value: 'a' }] },
    { type: 'select', label: 'With', name: 'with', optional: true, data_source: 'external' },
  ],
  ...more,
});

// docs/reference/chat.md#dialogs
describe('dialog.open', () => {
  const app = useApp();
  closeReceivers();

  const clicked = async () => {
    const ws = await app.workspace();
    const made = await modalApp(app, ws);
    await ws.join(ws.general, made.bot, made.person);
    const blocks = [
      {
        type: 'actions',
        elements: [{ type: 'button', action_id: 'go', text: { type: 'plain_text', text: 'Go' } }],
      },
    ];
    const message = await made.bot.call('chat.postMessage', { channel: ws.general.id, text: 'x', blocks });
    const click = async (): Promise<string> => {
      const at = { channel: ws.general.id, message_ts: message.ts, action_id: 'go' };
      return (await made.act('click', at)).body.result.trigger_id as string;
    };
    const open = (args: Json) => made.bot.call('dialog.open', args);
    const shown = async (): Promise<Json[]> =>
      (await rest(app, 'GET /act/screen', { token: made.person.token })).body.dialogs as Json[];
    return { ws, ...made, click, open, shown };
  };

  it('shows a dialog, and its submission reaches the app with the conversation', async () => {
    const { ws, id, person, far, act, click, open, shown, payload } = await clicked();
    expect(await open({ trigger_id: await click(), dialog: dialog() })).toEqual({ ok: true });
    const [seen] = await shown();
    expect(seen).toMatchObject({ id: expect.stringMatching(/^V/), app_id: id, title: 'Order', callback_id: 'order' });
    const at = { view_id: seen?.['id'] };
    const before = far.received.length;
    const early = await act('submit', { ...at, values: { from: 'much too long', other: 'x' } });
    expect(early.body.result).toEqual({ closed: false, errors: { from: 'too long', other: 'unknown' }, view: null });
    expect(far.received).toHaveLength(before);
    far.answer = (_, reply) =>
      void reply
        .setHeader('content-type', 'application/json')
        .end('{"errors":[{"name":"from","error":"Unknown place"}]}');
    const refusedByApp = await act('submit', { ...at, values: { from: 'Rome' } });
    expect(refusedByApp.body.result).toEqual({ closed: false, errors: { from: 'Unknown place' }, view: null });
    far.answer = (_, reply) => void reply.end();
    expect((await act('submit', { ...at, values: { from: 'Home' } })).body.result).toEqual({
      closed: true,
      errors: {},
      view: null,
    });
    expect(payload()).toMatchObject({
      type: 'dialog_submission',
      callback_id: 'order',
      state: 'Limo',
      submission: { from: 'Home', why: null, to: 'a', with: null },
      team: { id: ws.id },
      user: { id: person.userId, name: expect.any(String) },
      channel: { id: ws.general.id, name: 'general' },
      action_ts: expect.any(String),
      token: expect.any(String),
      response_url: expect.stringContaining('/respond/'),
    });
    expect(await shown()).toEqual([]);
  });

  it('is told of a cancellation, and asked for options', async () => {
    const { far, act, click, open, shown, payload, refused: acted } = await clicked();
    await open({ trigger_id: await click(), dialog: dialog() });
    const at = { view_id: (await shown())[0]?.['id'] };
    far.answer = (_, reply) =>
      void reply.setHeader('content-type', 'application/json').end('{"options":[{"label":"Bob","value":"b"}]}');
    const offered = await act('suggest', { ...at, action_id: 'with', value: 'bo' });
    expect(offered.body.result).toEqual({ options: [{ label: 'Bob', value: 'b' }] });
    expect(payload()).toMatchObject({ type: 'dialog_suggestion', callback_id: 'order', name: 'with', value: 'bo' });
    expect(await acted('suggest', { ...at, action_id: 'to', value: 'x' })).toEqual([404, 'action_not_found']);
    far.answer = (_, reply) => void reply.end();
    expect((await act('close', at)).body.result).toEqual({ closed: true, view: null });
    expect(payload()).toMatchObject({ type: 'dialog_cancellation', callback_id: 'order', state: 'Limo' });
    expect(await acted('close', at)).toEqual([404, 'view_not_found']);
  });

  it('a person has the newest dialog of an app open', async () => {
    const { trigger, open, shown } = await clicked();
    await open({ trigger_id: await trigger(), dialog: dialog() });
    await open({ trigger_id: await trigger(), dialog: dialog({ title: 'Second' }) });
    expect(await shown()).toMatchObject([{ title: 'Second' }]);
  });

  it('answers each error in the documented order', async () => {
    const { ws, person, trigger, open } = await clicked();
    expect(await open({})).toEqual(refused('missing_trigger'));
    expect(await open({ trigger_id: 'x' })).toEqual(refused('missing_dialog'));
    const wrong = { title: 'x'.repeat(25), elements: [{ type: 'text', label: 'x' }, { type: 'song' }] };
    expect(await open({ trigger_id: 'x', dialog: wrong })).toMatchObject({
      error: 'validation_errors',
      response_metadata: {
        messages: expect.arrayContaining([
          expect.stringContaining('/title'),
          expect.stringContaining('/callback_id'),
          expect.stringContaining('/elements/0/name'),
          expect.stringContaining('/elements/1/type'),
        ]),
      },
    });
    expect(await open({ trigger_id: 'x', dialog: dialog() })).toEqual(refused('invalid_trigger'));
    const used = await trigger();
    expect(await open({ trigger_id: used, dialog: dialog() })).toEqual({ ok: true });
    expect(await open({ trigger_id: used, dialog: dialog() })).toEqual(refused('trigger_exchanged'));
    const late = await trigger();
    app.clock.advance(4_000);
    expect(await open({ trigger_id: late, dialog: dialog() })).toEqual(refused('trigger_expired'));
    expect(await person.call('dialog.open', { trigger_id: late, dialog: dialog() })).toEqual(
      refused('not_allowed_token_type'),
    );
    const other = await ws.bot();
    expect(await other.call('dialog.open', { trigger_id: late, dialog: dialog() })).toEqual(refused('invalid_trigger'));
  });
});
