import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { modalApp, type Json } from '../support/modal-app.js';
import { closeReceivers, eventually } from '../support/receiver.js';
import { rest } from '../support/rest-client.js';

const refused = (error: string) => ({ ok: false, error });
const entity = (id: string, more: Json = {}): Json => ({
  entity_type: 'slack#/entities/task',
  entity_payload: { attributes: { title: { text: `Task ${id}` } }, fields: { status: { value: 'open' } } },
  external_ref: { id },
  url: `https://tasks.example.com/${id}`,
  ...more,
});

// docs/reference/chat.md#work-objects
describe('entity.presentDetails', () => {
  const app = useApp();
  closeReceivers();

  const setUp = async (...ids: string[]) => {
    const ws = await app.workspace();
    const made = await modalApp(app, ws, {
      features: { unfurl_domains: ['example.com'] },
      scopes: ['links:write'],
    });
    await rest(app, 'POST /events/subscribe', {
      token: made.bot.token,
      body: { request_url: made.far.url, events: ['entity_details_requested'] },
    });
    await ws.join(ws.general, made.bot, made.person);
    const metadata = { entities: ids.map((id) => entity(id)) };
    const posted = await made.bot.call('chat.postMessage', { channel: ws.general.id, text: 'tasks', metadata });
    const at = { channel: ws.general.id, message_ts: posted.ts };
    const requests = (): Json[] =>
      made.far.received
        .map((request) => (JSON.parse(request.body) as { event?: Json }).event)
        .filter((event): event is Json => event?.['type'] === 'entity_details_requested');
    const open = async (more: Json = {}): Promise<Json> => {
      const { body } = await made.act('open_entity', { ...at, until: 'none', ...more });
      return body.result as Json;
    };
    const present = (args: Json) => made.bot.call('entity.presentDetails', args);
    const shown = async (): Promise<Json[]> =>
      (await rest(app, 'GET /act/screen', { token: made.person.token })).body.details as Json[];
    return { ws, ...made, at, posted, requests, open, present, shown };
  };

  it('shows the details of an opened work object to the person who asked', async () => {
    const { ws, id, bot, person, far, posted, at, requests, present, shown, act } = await setUp('T-1');
    expect(posted.message.metadata).toEqual({ entities: [entity('T-1')] });
    const opening = act('open_entity', { ...at, wait_ms: 10_000 });
    await eventually(() => requests().length === 1, 'the event');
    const [request] = requests();
    expect(request).toEqual({
      type: 'entity_details_requested',
      user: person.userId,
      trigger_id: expect.stringMatching(/^\d{13}\.\d{12}\.[0-9a-f]{24}$/),
      user_locale: 'en-US',
      entity_url: 'https://tasks.example.com/T-1',
      external_ref: { id: 'T-1' },
      link: { url: 'https://tasks.example.com/T-1', domain: 'tasks.example.com' },
      channel: ws.general.id,
      message_ts: posted.ts,
      event_ts: expect.any(String),
    });
    const trigger_id = request?.['trigger_id'] as string;
    expect(await shown()).toEqual([]);
    const details = entity('T-1', { entity_type: 'slack#/entities/item' });
    expect(await present({ trigger_id, metadata: details })).toEqual({ ok: true });
    const { body } = await opening;
    expect(body).toMatchObject({ timed_out: false, deliveries: [{ kind: 'entity_details_requested' }] });
    expect(body.result).toEqual({ trigger_id, details, error: null });
    expect(await shown()).toEqual([
      { app_id: id, channel: ws.general.id, message_ts: posted.ts, trigger_id, metadata: details },
    ]);
    expect(far.received.length).toBeGreaterThan(0);
    const other = await ws.jwtClient({ user: ws.admin });
    expect((await rest(app, 'GET /act/screen', { token: other.token })).body.details).toEqual([]);
    const history = (all: boolean) =>
      bot.call('conversations.history', { channel: ws.general.id, include_all_metadata: all });
    expect((await history(true)).messages[0].metadata).toEqual({ entities: [entity('T-1')] });
    expect((await history(false)).messages[0]).not.toHaveProperty('metadata');
  });

  it('shows what was opened last, an error, or where to sign in', async () => {
    const { open, present, shown, at } = await setUp('T-1', 'T-2');
    const first = (await open({ external_id: 'T-1' }))['trigger_id'];
    await present({ trigger_id: first, metadata: entity('T-1') });
    const second = (await open({ url: 'https://tasks.example.com/T-2' }))['trigger_id'];
    expect(await shown()).toEqual([]);
    const error = { status: 'custom', custom_title: 'Closed', custom_message: 'Not yours' };
    expect(await present({ trigger_id: second, error })).toEqual({ ok: true });
    expect(await shown()).toMatchObject([{ trigger_id: second, message_ts: at.message_ts, error }]);
    const third = (await open({ external_id: 'T-2' }))['trigger_id'];
    const signIn = { user_auth_required: true, user_auth_url: 'https://tasks.example.com/login' };
    expect(await present({ trigger_id: third, ...signIn })).toEqual({ ok: true });
    expect(await shown()).toMatchObject([{ trigger_id: third, ...signIn }]);
  });

  it('open_entity says which there are none of, and which of several is not named', async () => {
    const { ws, refused: acted, person, at } = await setUp('T-1', 'T-2');
    expect(await acted('open_entity', { ...at, external_id: 'T-3' })).toEqual([404, 'entity_not_found']);
    expect(await acted('open_entity', { ...at, url: 'https://tasks.example.com/T-1', external_id: 'T-2' })).toEqual([
      404,
      'entity_not_found',
    ]);
    expect((await acted('open_entity', at))[0]).toBe(400);
    expect(await acted('open_entity', { ...at, message_ts: '1.000100' })).toEqual([404, 'message_not_found']);
    expect(await acted('open_entity', { ...at, channel: (await ws.channel({ isPrivate: true })).id })).toEqual([
      404,
      'channel_not_found',
    ]);
    // a person's message is of no app
    const metadata = { entities: [entity('T-1')] };
    const own = await person.call('chat.postMessage', { channel: ws.general.id, text: 'x', metadata });
    expect(own.message.metadata).toEqual(metadata);
    expect(await acted('open_entity', { ...at, message_ts: own.ts })).toEqual([404, 'entity_not_found']);
  });

  it('answers each error in the documented order', async () => {
    const { ws, open, present, trigger, person } = await setUp('T-1');
    const metadata = entity('T-1');
    expect((await present({ metadata })).error).toBe('invalid_arguments');
    expect((await present({ trigger_id: 'x' })).error).toBe('invalid_arguments');
    expect((await present({ trigger_id: 'x', error: { title: 'x' } })).error).toBe('invalid_arguments');
    expect(await present({ trigger_id: 'x', user_auth_required: true })).toEqual(refused('invalid_trigger_id'));
    expect(await present({ trigger_id: await trigger(), metadata })).toEqual(refused('invalid_trigger_id'));
    const { trigger_id: asked } = await open();
    const stranger = await ws.bot();
    expect(await stranger.call('entity.presentDetails', { trigger_id: asked, metadata })).toEqual(
      refused('invalid_trigger_id'),
    );
    expect(await person.call('entity.presentDetails', { trigger_id: asked, metadata })).toEqual(
      refused('not_allowed_token_type'),
    );
    expect(await present({ trigger_id: asked, user_auth_required: true, metadata: {} })).toEqual(
      refused('user_auth_url_missing'),
    );
    expect(await present({ trigger_id: asked, metadata: {} })).toEqual(refused('invalid_metadata'));
    expect(await present({ trigger_id: asked, metadata: entity('T-2') })).toEqual(
      refused('entity_metadata_does_not_match_trigger'),
    );
    // what was refused has not used it up
    app.clock.advance(29_000);
    expect(await present({ trigger_id: asked, metadata })).toEqual({ ok: true });
    expect(await present({ trigger_id: asked, metadata })).toEqual(refused('invalid_trigger_id'));
    const { trigger_id: late } = await open();
    app.clock.advance(31_000);
    expect(await present({ trigger_id: late, metadata })).toEqual(refused('invalid_trigger_id'));
  });

  it('metadata takes 1 to 10 whole work objects, alone or beside an event', async () => {
    const { ws, bot } = await setUp();
    const post = (metadata: unknown) =>
      bot.call('chat.postMessage', { channel: ws.general.id, text: 'x', metadata: JSON.stringify(metadata) });
    const event = { event_type: 'made', event_payload: { n: 1 } };
    const ten = Array.from({ length: 10 }, (_, n) => entity(`T-${n}`));
    const whole = await post({ ...event, entities: ten });
    expect(whole.message.metadata).toEqual({ ...event, entities: ten });
    const update = (metadata: unknown) =>
      bot.call('chat.update', { channel: ws.general.id, ts: whole.ts, metadata: JSON.stringify(metadata) });
    app.clock.advance(60_000);
    for (const wrong of [
      { entities: [] },
      { entities: {} },
      { entities: [...ten, entity('T-10')] },
      { entities: [entity('T-1')], event_type: 'made' },
      { entities: [entity('T-1', { url: 'tasks.example.com' })] },
      { entities: [entity('T-1', { url: 'javascript:alert(1)' })] },
      { entities: [entity('T-1', { entity_type: '' })] },
      { entities: [entity('T-1', { external_ref: {} })] },
      { entities: [entity('T-1', { external_ref: { id: 'T-1', type: 1 } })] },
      { entities: [entity('T-1', { entity_payload: { attributes: {} } })] },
      { entities: [entity('T-1', { app_unfurl_url: 'x' })] },
    ])
      expect(await update(wrong), JSON.stringify(wrong)).toEqual(refused('invalid_metadata_format'));
    // whose it is, is not for its author to say
    const posted = await post({ entities: [entity('T-1', { app_id: 'A0OTHER0001' })] });
    expect(posted.message.metadata).toEqual({ entities: [entity('T-1')] });
  });

  it('chat.unfurl gives a message work objects, which their app is asked about', async () => {
    const { ws, id, bot, person, act, requests } = await setUp();
    const url = 'https://tasks.example.com/T-7';
    const said = await person.call('chat.postMessage', { channel: ws.general.id, text: `see ${url}` });
    const unfurl = (metadata: unknown, more: Json = {}) =>
      bot.call('chat.unfurl', { channel: ws.general.id, ts: said.ts, metadata, ...more });
    expect(await unfurl(undefined)).toEqual(refused('missing_unfurls'));
    expect(await unfurl({ event_type: 'x', event_payload: {} })).toEqual(refused('invalid_metadata_format'));
    expect(await unfurl({ entities: [{}] }, { channel: 'x' })).toEqual(refused('invalid_metadata_format'));
    expect(await unfurl({ entities: [entity('T-7')] })).toEqual(refused('cannot_unfurl_url'));
    const elsewhere = entity('T-7', { app_unfurl_url: 'https://tasks.example.com/T-8' });
    expect(await unfurl({ entities: [elsewhere] })).toEqual(refused('cannot_unfurl_url'));
    expect(await unfurl({ entities: [entity('T-6', { app_unfurl_url: url })] })).toEqual({ ok: true });
    expect(await unfurl({ entities: [entity('T-7', { app_unfurl_url: url })] })).toEqual({ ok: true });
    const entities = [entity('T-7', { app_unfurl_url: url, app_id: id })];
    const { messages } = await bot.call('conversations.history', {
      channel: ws.general.id,
      include_all_metadata: true,
    });
    expect(messages[0].metadata).toEqual({ entities });
    const changed = (await ws.recorded('message')).at(-1);
    expect(changed).toMatchObject({ subtype: 'message_changed', message: { ts: said.ts, metadata: { entities } } });
    expect(changed?.['message']).not.toHaveProperty('edited');
    await act('open_entity', { channel: ws.general.id, message_ts: said.ts, until: 'ack' });
    await eventually(() => requests().length === 1, 'the event');
    expect(requests()[0]).toMatchObject({
      app_unfurl_url: url,
      entity_url: url,
      link: { url, domain: 'tasks.example.com' },
      message_ts: said.ts,
    });
  });
});
