import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { closeReceivers, eventually, receiver, type Receiver } from '../support/receiver.js';

type Json = Record<string, any>;

describe('deliveries of a sandbox', () => {
  const app = useApp();
  closeReceivers();

  const send = async (
    method: string,
    path: string,
    token: string,
    body?: object,
  ): Promise<{ status: number; body: Json }> => {
    const response = await fetch(`${app.baseUrl}/api/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Json };
  };

  const sandbox = async (far: Receiver) => {
    const made = await fetch(`${app.baseUrl}/api/admin/provision`, {
      method: 'POST',
      headers: { 'x-admin-token': 'operator-of-the-tests', 'content-type': 'application/json' },
      body: JSON.stringify({ team: { name: 'Deliveries' } }),
    });
    const { bot_token: bot, user_token: user } = (await made.json()) as Json;
    const hook = await send('POST', 'webhooks/outgoing', user, { url: far.url, events: ['message'] });
    expect(hook.status).toBe(201);
    const post = async (text: string): Promise<void> => {
      expect((await send('POST', 'chat.postMessage', bot, { channel: '#general', text })).body['ok']).toBe(true);
    };
    const control = (method: string, path: string, body?: object) =>
      send(method, `sandboxes/self${path && `/${path}`}`, user, body);
    const counts = async (): Promise<Json> => (await control('GET', 'deliveries')).body['counts'] as Json;
    const general = (await send('GET', 'conversations.list', bot)).body['channels'] as Json[];
    const execute = {
      make: async (url: string) =>
        expect((await send('POST', 'commands', bot, { command: '/go', url })).status).toBe(201),
      call: () => send('POST', 'commands/execute', user, { command: '/go', text: '', channel_id: general[0]?.['id'] }),
    };
    return { hookId: hook.body['id'] as string, post, control, counts, execute };
  };
  const texts = (far: Receiver): string[] =>
    far.received.map(({ body }) => (JSON.parse(body.toString()) as Json)['event'].text as string);

  it('show what they are about before and after their first attempt', async () => {
    const far = await receiver();
    const { post, control, execute } = await sandbox(far);
    await execute.make(far.url);
    await control('POST', 'delivery-rules', { do: { type: 'hold' }, times: 1 });
    const began = Date.now() - 1_000;
    await post('is it out?');
    const listed = async (state: string): Promise<Json[]> =>
      (await control('GET', `deliveries?state=${state}`)).body['deliveries'] as Json[];
    await eventually(async () => (await listed('held')).length === 1, 'a held delivery');
    const about = { channel: expect.stringMatching(/^C0/), user: expect.stringMatching(/^U0/), text: 'is it out?' };
    const [held] = await listed('held');
    expect(held).toMatchObject({ event: 'message', attempts: [], ...about });
    expect(Date.parse(held?.['wall'] as string)).toBeGreaterThan(began);
    await control('POST', 'deliveries/release', {});
    await eventually(async () => (await listed('done')).length === 1, 'a delivery');
    expect(await listed('done')).toMatchObject([{ ...about, channel: held?.['channel'] }]);
    expect((await control('PATCH', '', { journal: true })).status).toBe(200);
    await execute.call();
    await eventually(async () => (await listed('done')).length === 2, 'a command');
    expect((await listed('done'))[1]).toMatchObject({
      channel: expect.stringMatching(/^C0/),
      user: expect.any(String),
    });
  });

  it('are held until they are released, in the requested order', async () => {
    const far = await receiver();
    const { post, control, counts } = await sandbox(far);
    const rule = await control('POST', 'delivery-rules', { do: { type: 'hold' }, times: 3 });
    expect(rule).toMatchObject({
      status: 201,
      body: { id: expect.stringMatching(/^Dr0/), do: { type: 'hold' }, fired: 0 },
    });
    for (const text of ['one', 'two', 'three']) await post(text);
    await eventually(async () => (await counts())['held'] === 3, 'three held');
    await post('four');
    await far.until(({ length }) => length === 1);
    expect(texts(far)).toEqual(['four']);
    expect((await control('POST', 'deliveries/release', { order: 'reversed' })).body).toEqual({ released: 3 });
    await far.until(({ length }) => length === 4);
    expect(texts(far)).toEqual(['four', 'three', 'two', 'one']);
    await eventually(async () => (await counts())['done'] === 4, 'four done');
    expect((await control('GET', 'delivery-rules')).body['delivery_rules']).toMatchObject([{ fired: 3 }]);
  });

  it('are listed with their attempts, and redelivered with the same event id', async () => {
    let status = 500;
    const far = await receiver((_, reply) => {
      reply.statusCode = status;
      reply.end();
    });
    const { post, control, counts, hookId } = await sandbox(far);
    await control('POST', 'delivery-rules', { do: { type: 'answer', error: 'connection_failed' }, times: 1 });
    await post('once');
    await far.until(({ length }) => length === 1); // the rule answered the first attempt, and the first retry is sent at once
    await eventually(async () => (await counts())['retrying'] === 1, 'a retry that waits');
    status = 200;
    expect(await control('POST', 'deliveries/flush', {})).toMatchObject({ status: 200 });
    await eventually(async () => (await counts())['done'] === 1, 'a delivery that is done');
    const { body } = await control('GET', 'deliveries?order=desc&state=done');
    const [one] = body['deliveries'] as Json[];
    expect(one).toMatchObject({
      state: 'done',
      event: 'message',
      target: { id: hookId, kind: 'outgoing_webhook' },
      attempts: [
        { attempt: 1, error: 'connection_failed', rule: expect.stringMatching(/^Dr0/) },
        { attempt: 2, response: { status: 500 } },
        { attempt: 3, response: { status: 200 } },
      ],
    });
    const before = far.received.length;
    expect((await control('POST', `deliveries/${one?.['id'] as string}/redeliver`)).status).toBe(202);
    await far.until(({ length }) => length === before + 1);
    const [first, last] = [far.received[0], far.received.at(-1)].map((got) => JSON.parse(String(got?.body)) as Json);
    expect(last?.['event_id']).toBe(first?.['event_id']);
    expect(far.received.at(-1)?.headers).not.toHaveProperty('x-slack-retry-num');
    expect((await control('POST', 'deliveries/999999999999/redeliver')).body['message']).toBe('delivery_not_found');
  });

  it('are dropped, duplicated or answered as rules say; an invalid rule is refused with 400', async () => {
    const far = await receiver();
    const { post, control, counts } = await sandbox(far);
    await control('POST', 'delivery-rules', { do: { type: 'drop' }, times: 1 });
    await control('POST', 'delivery-rules', { do: { type: 'duplicate', copies: 3 }, times: 1 });
    await post('lost');
    await eventually(async () => (await counts())['failed'] === 1, 'a lost one');
    await post('thrice');
    await far.until(({ length }) => length === 3);
    expect(texts(far)).toEqual(['thrice', 'thrice', 'thrice']);
    // each copy is listed as an attempt of the same delivery
    const copies = { for: 'delivery', where: { response: { status: 200 } }, after: 'start', count: 3 };
    const { entries } = (await control('POST', 'wait', copies)).body as { entries: Json[] };
    const [first] = entries;
    expect(first).toMatchObject({ attempt: 1, rule: expect.stringMatching(/^Dr0/), event_id: expect.any(String) });
    for (const { delivery_id: id, event_id: event, attempt, rule } of entries) {
      expect([id, event, attempt, rule]).toEqual([first?.['delivery_id'], first?.['event_id'], 1, first?.['rule']]);
    }
    const { deliveries } = (await control('GET', 'deliveries?state=done')).body as { deliveries: Json[] };
    expect(deliveries.map(({ attempts }) => attempts.length as number)).toEqual([3]);
    for (const bad of [
      {},
      { do: { type: 'nothing' } },
      { do: { type: 'delay' } },
      { do: { type: 'duplicate', copies: 21 } },
    ]) {
      expect((await control('POST', 'delivery-rules', bad)).status).toBe(400);
    }
    expect((await control('DELETE', 'delivery-rules/Dr0NOTHING00')).status).toBe(404);
    expect((await control('DELETE', 'delivery-rules')).body).toEqual({ success: true });
  });

  it('send no further copies after a reset', async () => {
    const far = await receiver();
    const { post, control } = await sandbox(far);
    await control('POST', 'seed?baseline=true', {});
    await control('POST', 'delivery-rules', { do: { type: 'duplicate', copies: 3, gap_ms: 300 } });
    await post('once');
    await far.until(({ length }) => length === 1);
    expect((await control('POST', 'reset', {})).status).toBe(200);
    await control('POST', 'wait', { for: 'quiet', quiet_ms: 700 });
    expect(texts(far)).toEqual(['once']);
    await post('after');
    await far.until(({ length }) => length === 2);
    expect(texts(far)).toEqual(['once', 'after']);
  });

  it('of commands follow the rules too, except that hold does not apply to them', async () => {
    const far = await receiver();
    const { control, execute } = await sandbox(far);
    const { url } = (await control('POST', 'inboxes', {})).body as { url: string };
    await execute.make(url);
    await control('POST', 'delivery-rules', { do: { type: 'hold' } });
    await control('POST', 'delivery-rules', { on: { kind: 'command' }, do: { type: 'drop' }, times: 1 });
    await control('POST', 'delivery-rules', { do: { type: 'bad_signature' }, times: 1 });
    await control('POST', 'delivery-rules', { do: { type: 'answer', status: 500 }, times: 1 });
    await control('POST', 'delivery-rules', { do: { type: 'stale_timestamp', seconds: 600 }, times: 1 });
    expect(await execute.call()).toMatchObject({ status: 502, body: { message: 'operation_timeout' } });
    expect((await execute.call()).status).toBe(200);
    expect(await execute.call()).toMatchObject({ status: 502, body: { message: 'http_client_error' } });
    expect((await execute.call()).status).toBe(200);
    const [badly, stale] = (await control('GET', 'timeline?kind=received')).body['entries'] as Json[];
    expect(badly?.['verified']).toBe(null);
    expect(stale?.['verified']).toMatch(/^A0/);
    const age = Date.now() / 1000 - Number(stale?.['request'].headers['x-slack-request-timestamp']);
    expect(Math.round(age / 60)).toBe(10);
    const sent = (await control('GET', 'timeline?kind=delivery')).body['entries'] as Json[];
    expect(sent.map(({ signature }) => signature)).toEqual([undefined, 'wrong_signature', undefined, 'old_timestamp']);
    expect((await control('GET', 'delivery-rules')).body['delivery_rules']).toMatchObject([
      { fired: 0 },
      { fired: 1 },
      { fired: 1 },
      { fired: 1 },
      { fired: 1 },
    ]);
  });
});
