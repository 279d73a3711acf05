import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { input, label, modal, modalApp, option, type Json } from '../support/modal-app.js';
import { closeReceivers } from '../support/receiver.js';
import { refusal, rest } from '../support/rest-client.js';

describe('POST /api/act/<verb> with views of apps', () => {
  const app = useApp();
  closeReceivers();

  it('click, type and suggest in a view: the state is kept, and dispatch_action sends block_actions', async () => {
    const ws = await app.workspace();
    const modals = await modalApp(app, ws);
    const view = await modals.open(
      modal({
        submit: label('Go'),
        blocks: [
          input('name', { type: 'plain_text_input', action_id: 'n', max_length: 5 }),
          input('loud', { type: 'plain_text_input', action_id: 'l' }, { dispatch_action: true }),
          {
            type: 'actions',
            block_id: 'acts',
            elements: [
              { type: 'static_select', action_id: 's', options: [option('a')] },
              { type: 'external_select', action_id: 'x' },
            ],
          },
        ],
      }),
    );
    const clicked = await modals.act('click', { view_id: view['id'], action_id: 's', selected_option: 'a' });
    expect(clicked.body.result).toEqual({ trigger_id: expect.any(String) });
    const sent = modals.payload();
    expect(sent).toMatchObject({
      type: 'block_actions',
      container: { type: 'view', view_id: view['id'] },
      view: { id: view['id'], state: { values: { acts: { s: { selected_option: option('a') } } } } },
      actions: [{ action_id: 's', block_id: 'acts', selected_option: option('a') }],
    });
    for (const key of ['channel', 'message', 'response_url']) expect(sent).not.toHaveProperty(key);

    const before = modals.far.received.length;
    const typed = await modals.act('type', { view_id: view['id'], values: { name: { n: 'ann' } } });
    expect(typed.body.result.view.state.values.name.n).toEqual({ type: 'plain_text_input', value: 'ann' });
    expect(modals.far.received.length).toBe(before);
    await modals.act('type', { view_id: view['id'], values: { l: 'hey' } });
    expect(modals.payload()).toMatchObject({
      actions: [{ type: 'plain_text_input', action_id: 'l', block_id: 'loud', value: 'hey' }],
      view: { state: { values: { name: { n: { value: 'ann' } }, loud: { l: { value: 'hey' } } } } },
    });
    const bad = async (values: Json) => modals.refused('type', { view_id: view['id'], values });
    expect(await bad({ nope: 'x' })).toEqual([400, ['invalid_values', 'values.nope']]);
    expect(await bad({ name: { nope: 'x' } })).toEqual([400, ['invalid_values', 'values.name.nope']]);
    expect(await bad({ n: 'too long' })).toEqual([400, ['invalid_values', 'values.n']]);
    expect(await bad({ acts: { s: 'z' } })).toEqual([400, ['invalid_values', 'values.acts.s']]);

    modals.far.answer = (_, reply) => void reply.end(JSON.stringify({ options: [option('q')] }));
    const suggested = await modals.act('suggest', { view_id: view['id'], action_id: 'x', value: 'q' });
    expect(suggested.body).toMatchObject({
      result: { options: [option('q')] },
      deliveries: [{ kind: 'block_suggestion' }],
    });
    expect(modals.payload()).toMatchObject({ type: 'block_suggestion', action_id: 'x', block_id: 'acts', value: 'q' });
  });

  it('submit: follows every response_action', async () => {
    const ws = await app.workspace();
    const modals = await modalApp(app, ws);
    const form = modal({
      callback_id: 'form',
      submit: label('Go'),
      blocks: [
        input('name', { type: 'plain_text_input', action_id: 'n' }),
        input('note', { type: 'plain_text_input', action_id: 'o' }, { optional: true }),
      ],
    });
    const answering = (answer: unknown) => {
      modals.far.answer = (_, reply) =>
        void reply.setHeader('content-type', 'application/json').end(answer === '' ? '' : JSON.stringify(answer));
    };
    const view = await modals.open(form);
    const submit = (values?: Json, id = view['id']) => modals.act('submit', { view_id: id, ...(values && { values }) });

    const before = modals.far.received.length;
    expect((await submit()).body).toMatchObject({
      result: { closed: false, errors: { name: 'required' }, view: { id: view['id'] } },
      deliveries: [],
    });
    expect(modals.far.received.length).toBe(before);

    answering({ response_action: 'errors', errors: { name: 'too short' } });
    const wrong = await submit({ n: 'x' });
    expect(wrong.body).toMatchObject({
      result: { closed: false, errors: { name: 'too short' }, view: { id: view['id'] } },
      deliveries: [{ kind: 'view_submission', outcome: 'acked' }],
      response: { response_action: 'errors' },
    });
    expect(modals.payload()).toMatchObject({
      type: 'view_submission',
      trigger_id: expect.any(String),
      response_urls: [],
      view: {
        callback_id: 'form',
        state: {
          values: {
            name: { n: { type: 'plain_text_input', value: 'x' } },
            note: { o: { type: 'plain_text_input', value: null } },
          },
        },
      },
    });

    for (const [answer, detail] of [
      [{ response_action: 'dance' }, /response_action/],
      [{ response_action: 'errors', errors: { nowhere: 'x' } }, /nowhere/],
      [{ response_action: 'errors' }, /errors/],
      [{ response_action: 'update', view: { type: 'modal' } }, /missing required field: title.*\/view/],
      [{ response_action: 'push' }, /view/],
      ['text', /JSON/],
    ] as const) {
      answering(answer);
      expect((await submit()).body.result).toMatchObject({
        closed: false,
        error: 'invalid_response_action',
        detail: expect.stringMatching(detail),
        view: { id: view['id'] },
      });
    }
    modals.far.answer = (_, reply) => void reply.writeHead(503).end();
    expect((await submit()).body).toMatchObject({
      result: { closed: false, errors: {}, error: 'http_client_error', view: { id: view['id'] } },
      deliveries: [{ outcome: 'failed', error: 'http_client_error', status_code: 503 }],
    });

    answering({ response_action: 'update', view: { ...form, callback_id: 'second' } });
    const updated = await submit();
    expect(updated.body.result).toMatchObject({
      closed: false,
      view: { id: view['id'], callback_id: 'second', state: { values: { name: { n: { value: 'x' } } } } },
    });
    answering({ response_action: 'push', view: modal({ callback_id: 'top' }) });
    const pushed = await submit();
    expect(pushed.body.result).toMatchObject({
      closed: false,
      view: { callback_id: 'top', previous_view_id: view['id'] },
    });
    expect((await modals.act('submit', { view_id: view['id'] })).body).toEqual(refusal(404, 'view_not_found'));
    answering('');
    const back = await submit(undefined, pushed.body.result.view.id);
    expect(back.body.result).toMatchObject({ closed: true, errors: {}, view: { id: view['id'] } });
    await modals.bot.call('views.push', { trigger_id: await modals.trigger(), view: modal() });
    const top = (await rest(app, 'GET /act/screen', { token: modals.person.token })).body.modals.at(-1);
    answering({ response_action: 'clear' });
    const cleared = await submit(undefined, top.id);
    expect(cleared.body.result).toEqual({ closed: true, errors: {}, view: null });
    expect((await rest(app, 'GET /act/screen', { token: modals.person.token })).body.modals).toEqual([]);
    expect((await modals.act('submit', { view_id: top.id })).body).toEqual(refusal(404, 'view_not_found'));
  });

  it('close: sends view_closed only where it was asked for, and once for a cleared stack', async () => {
    const ws = await app.workspace();
    const modals = await modalApp(app, ws);
    const first = await modals.open(modal());
    const plain = await modals.act('close', { view_id: first['id'] });
    expect(plain.body).toMatchObject({ result: { closed: true, view: null }, deliveries: [], timed_out: false });
    const root = await modals.open(modal({ notify_on_close: true }));
    const { view: top } = await modals.bot.call('views.push', {
      trigger_id: await modals.trigger(),
      view: modal({ notify_on_close: true }),
    });
    expect(await modals.refused('close', { view_id: root['id'] })).toEqual([404, 'view_not_found']);
    expect((await modals.act('close', { view_id: top.id })).body.result).toMatchObject({
      closed: true,
      view: { id: root['id'] },
    });
    expect(modals.payload()).toMatchObject({ type: 'view_closed', is_cleared: false, view: { id: top.id } });
    expect(modals.payload()).not.toHaveProperty('trigger_id');
    await modals.bot.call('views.push', { trigger_id: await modals.trigger(), view: modal() });
    const { modals: stack } = (await rest(app, 'GET /act/screen', { token: modals.person.token })).body;
    expect((await modals.act('close', { view_id: stack.at(-1).id, clear: true })).body.result).toEqual({
      closed: true,
      view: null,
    });
    expect(modals.payload()).toMatchObject({ type: 'view_closed', is_cleared: true, view: { id: root['id'] } });

    const silent = await modalApp(app, ws, { url: false });
    const lonely = await silent.open(modal({ notify_on_close: true, submit: label('Go') }));
    expect(await silent.refused('submit', { view_id: lonely['id'] })).toEqual([409, 'no_interactivity_url']);
    expect((await silent.act('close', { view_id: lonely['id'] })).body.result.closed).toBe(true);
  });
});
