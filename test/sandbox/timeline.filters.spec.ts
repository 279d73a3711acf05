import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestApp, useApp } from '../support/app.js';
import { eventually } from '../support/receiver.js';
import { TestSandbox } from '../support/sandbox.js';

// oxlint-disable-next-line no-explicit-any
type Any = any;

/** docs/reference/sandboxes.md#timeline */
describe('reading the timeline', () => {
  const app = useApp();
  const read = async (sandbox: TestSandbox, query: string): Promise<Any[]> =>
    (await sandbox.control('GET', `/timeline?${query}`)).body.entries as Any[];

  it('filters by every field, each with a comma-separated list', async () => {
    const sandbox = await TestSandbox.make(app);
    const hook = await sandbox.send('POST', '/api/webhooks/incoming', sandbox.person, { channel: '#war-room' });
    await fetch(hook.body.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"text":"by a hook"}',
    });
    await sandbox.call('chat.postMessage', { channel: 'war-room', text: 'by the bot' });
    await sandbox.call('pins.add', { channel: 'war-room' });
    await sandbox.graphql('{ viewer { id } }');
    await sandbox.send('GET', '/api/apps', sandbox.person);
    const methods = async (query: string): Promise<string[]> =>
      (await read(sandbox, `kind=call&${query}`)).map(({ method }) => method as string);
    expect(await methods('caller=webhook')).toEqual(['webhooks.incoming']);
    const [posted] = await read(sandbox, 'kind=call&caller=webhook');
    expect(posted.caller).toEqual({ kind: 'webhook', app_id: expect.stringMatching(/^A/), app: 'default-app' });
    expect(JSON.stringify(posted)).not.toContain(hook.body.url.split('/').at(-1));
    expect(await methods('method=chat.*,pins.*')).toEqual(['chat.postMessage', 'pins.add']);
    expect(await methods('product=tracker')).toEqual(['viewer']);
    expect(await methods('caller=api_key,bot&product=tracker,chat')).toEqual([
      'chat.postMessage',
      'pins.add',
      'viewer',
    ]);
    expect(await methods('ok=false')).toEqual(['pins.add']);
    expect(await methods(`error=${(await read(sandbox, 'ok=false'))[0].error}`)).toEqual(['pins.add']);
    expect(await methods('error=a(b,c%5Cd')).toEqual([]);
    // the match lies beyond the rows that are read first
    expect(await methods('method=webhooks.*&limit=1&order=desc')).toEqual(['webhooks.incoming']);
    expect(await methods(`app_id=${posted.caller.app_id}&channel=war-room&text=by%20the`)).toEqual([
      'chat.postMessage',
    ]);
    expect(await methods('channel=%23war-room&caller=bot')).toEqual(['chat.postMessage', 'pins.add']);
    const where = encodeURIComponent(JSON.stringify({ status: { $gte: 200 }, args: { text: { $exists: true } } }));
    expect(await methods(`where=${where}`)).toEqual(['webhooks.incoming', 'chat.postMessage']);
    const [first, ...rest] = await read(sandbox, 'kind=call');
    expect(await methods(`since=${first.id}`)).toHaveLength(rest.length);
    expect(await methods(`before=${first.id}`)).toEqual([]);
    expect(await methods(`since=${encodeURIComponent(new Date(Date.now() + 60_000).toISOString())}`)).toEqual([]);
    expect(await methods(`until=${encodeURIComponent(new Date(Date.now() - 3_600_000).toISOString())}`)).toEqual([]);
    for (const bad of [
      'product=x',
      'caller=me',
      'ok=maybe',
      'since=soon',
      'before=x',
      'view=long',
      'kind=event&kind=call',
    ]) {
      expect((await sandbox.control('GET', `/timeline?${bad}`)).status, bad).toBe(400);
    }
  });

  it('names the cause of events, deliveries and faults', async () => {
    const sandbox = await TestSandbox.make(app);
    const { url } = (await sandbox.control('POST', '/inboxes', {})).body;
    await sandbox.send('POST', '/api/webhooks/outgoing', sandbox.person, { url, events: ['message'] });
    await sandbox.control('POST', '/faults', { on: { method: 'chat.postMessage' }, fault: { type: 'delay', ms: 1 } });
    await sandbox.call('chat.postMessage', { channel: 'war-room', text: 'cause' });
    await sandbox.control('POST', '/wait', { for: 'delivery', after: 'start' });
    const [call] = await read(sandbox, 'kind=call&method=chat.postMessage');
    const [event] = await read(sandbox, 'kind=event&text=cause');
    const [delivery] = await read(sandbox, 'kind=delivery');
    const fired = (await read(sandbox, 'kind=fault')).find(({ action }) => action === 'fired');
    expect([event.cause, delivery.cause, fired.cause]).toEqual(Array.from({ length: 3 }, () => call.request_id));
    expect(call.fault).toBe(fired.fault_id);
  });

  it('truncates long bodies, and gives their length', async () => {
    const sandbox = await TestSandbox.make(app);
    const text = 'x'.repeat(20_000);
    await sandbox.call('chat.postMessage', { channel: 'war-room', text });
    const [call] = await read(sandbox, 'kind=call&method=chat.postMessage');
    expect(call).toMatchObject({ truncated: true, length: expect.any(Number), args: expect.any(String) });
    expect(call.length).toBeGreaterThan(20_000);
    expect(call.args.length).toBeLessThanOrEqual(16_384);
  });

  it('truncates long answers between whole characters', async () => {
    const sandbox = await TestSandbox.make(app);
    // in one of the two, the surrogate pairs begin at odd offsets, so the limit falls inside a pair
    for (const text of ['😀'.repeat(10_000), `x${'😀'.repeat(10_000)}`]) {
      await sandbox.call('chat.postMessage', { channel: 'war-room', text });
      const [call] = await read(sandbox, 'kind=call&method=chat.postMessage&order=desc&limit=1');
      expect(call).toMatchObject({ truncated: true, ok: true, answer: expect.stringMatching(/^\{"ok":true,.*😀$/u) });
      expect(call.length).toBeGreaterThan(20_000);
      expect(16_384 - call.answer.length).toBeLessThanOrEqual(1);
      expect(call.answer.isWellFormed()).toBe(true);
    }
  });

  it('lists answers made by faults, whatever they contain', async () => {
    const sandbox = await TestSandbox.make(app);
    const json = { 'content-type': 'application/json' };
    for (const body of ['{"broken', '{"\u001e":"\u001e', `{"${'x'.repeat(20_000)}`]) {
      await sandbox.control('POST', '/faults', {
        on: { method: 'chat.postMessage' },
        fault: { type: 'http', status: 500, body, headers: json },
      });
      await sandbox.call('chat.postMessage', { channel: 'war-room', text: 'x' });
      const [call] = await read(sandbox, 'kind=call&method=chat.postMessage&order=desc&limit=1');
      expect(call).toMatchObject({ status: 500, answer: body.slice(0, 16_384) });
    }
  });
});

describe('a timeline with low limits', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await TestApp.start({ SVC_TIMELINE_MAX_ENTRIES: '100', SVC_TIMELINE_MAX_BYTES: '200000' });
  });
  afterAll(() => app.stop());

  it('keeps the newest entries; a cursor whose entries are gone continues with the oldest kept one', async () => {
    const sandbox = await TestSandbox.make(app);
    const first = (await sandbox.control('POST', '/timeline', { text: 'first' })).body;
    for (let i = 0; i < 120; i++) await sandbox.control('POST', '/timeline', { text: `note ${i}` });
    await eventually(async () => {
      const { entries } = (await sandbox.control('GET', `/timeline?after=${first.id}&limit=1000`)).body;
      return entries.length <= 105 && entries.at(-1).text === 'note 119' && entries[0].text !== 'note 0';
    }, 'a timeline of about 100 entries');
    const long = 'y'.repeat(9_000);
    for (let i = 0; i < 60; i++) await sandbox.control('POST', '/timeline', { text: `${long} ${i}` });
    await eventually(async () => {
      const { entries } = (await sandbox.control('GET', '/timeline?limit=1000')).body;
      return JSON.stringify(entries).length < 260_000 && entries.at(-1).text.endsWith(' 59');
    }, 'a timeline of about 200 kB');
  });
});

describe.each([
  ['off', false, false],
  ['auto', true, false], // the default
  ['all', true, true],
])('SVC_JOURNAL=%s', (mode, ofSandboxes, ofProvisioned) => {
  const byDefault = useApp();
  let app: TestApp;
  beforeAll(async () => {
    app = mode === 'auto' ? byDefault : await TestApp.start({ SVC_JOURNAL: mode });
  });
  afterAll(async () => {
    if (app !== byDefault) await app.stop();
  });

  it(`keeps calls of sandboxes: ${ofSandboxes}, of provisioned workspaces: ${ofProvisioned}`, async () => {
    const admin = { 'x-admin-token': 'operator-of-the-tests', 'content-type': 'application/json' };
    const post = async (path: string, body: object): Promise<Any> =>
      (await fetch(`${app.baseUrl}${path}`, { method: 'POST', headers: admin, body: JSON.stringify(body) })).json();
    const made = await post('/api/sandboxes', { journal: true });
    const provisioned = await post('/api/admin/provision', { team: { name: 'p' } });
    for (const [token, bot, kept] of [
      [made.credentials.control_token, made.credentials.bot_token, ofSandboxes],
      [provisioned.user_token, provisioned.bot_token, ofProvisioned],
    ] as const) {
      const as = { authorization: `Bearer ${token}` };
      const get = async (path: string): Promise<Any> =>
        (await fetch(`${app.baseUrl}/api/sandboxes/self${path}`, { headers: as })).json();
      expect((await get('')).journal).toBe(kept);
      const call = { method: 'POST', headers: { authorization: `Bearer ${bot}`, 'content-type': 'application/json' } };
      await fetch(`${app.baseUrl}/api/chat.postMessage`, { ...call, body: '{"channel":"general","text":"kept?"}' });
      const { entries } = await get('/timeline?kind=call,event&text=kept');
      expect(entries.map(({ kind }: Any) => kind as string)).toEqual(kept ? ['event', 'call'] : ['event']);
      // what a test reads explicitly, like an inbox, is recorded in every mode
      const inbox = await fetch(`${app.baseUrl}/api/sandboxes/self/inboxes`, {
        method: 'POST',
        headers: { ...as, 'content-type': 'application/json' },
        body: '{}',
      });
      await fetch(((await inbox.json()) as Any).url, { method: 'POST', body: 'seen' });
      expect((await get('/timeline?kind=received')).entries).toMatchObject([{ request: { body: 'seen' } }]);
    }
  });
});
