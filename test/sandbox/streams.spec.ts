import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { bearer, makeSandbox, send } from '../support/sandbox-routes.js';
import { TestSandbox } from '../support/sandbox.js';
import { closeSockets, connect } from '../support/socket-app.js';

// docs/reference/sandboxes.md#streams
describe('streams of a sandbox', () => {
  const app = useApp();
  closeSockets();

  const begin = async () => {
    const sandbox = await TestSandbox.make(app);
    const { user_id: person, team_id: team } = (await sandbox.call('auth.test', {}, sandbox.person)).body;
    const [channel] = (await sandbox.call('conversations.list', {})).body.channels.filter(
      ({ name }: { name: string }) => name === 'war-room',
    );
    const recipients = { recipient_user_id: person, recipient_team_id: team };
    const start = async (markdown_text: string): Promise<{ channel: string; ts: string }> => {
      const { body } = await sandbox.call('chat.startStream', { channel: channel.id, ...recipients, markdown_text });
      expect(body).toMatchObject({ ok: true });
      return { channel: body.channel, ts: body.ts };
    };
    const append = async (at: object, markdown_text = 'x') =>
      (await sandbox.call('chat.appendStream', { ...at, markdown_text })).body;
    const list = async () => (await sandbox.control('GET', '/streams')).body.streams;
    const text = async (at: { ts: string }) => {
      const { messages } = (await sandbox.call('conversations.history', { channel: channel.id })).body;
      return messages.find(({ ts }: { ts: string }) => ts === at.ts)?.text;
    };
    return { sandbox, channel, start, append, list, text };
  };
  const over = { ok: false, error: 'message_not_in_streaming_state' };

  it('are listed, the newest first, and expire where a test says so', async () => {
    const { sandbox, channel, start, append, list } = await begin();
    const [first, second] = [await start('one'), await start('')];
    await append(second, 'abc');
    expect(await list()).toEqual(
      [second, first].map((at) => ({
        ...at,
        thread_ts: null,
        app_id: expect.stringMatching(/^A0/),
        state: 'open',
        started_at: expect.stringMatching(/Z$/),
        expires_at: expect.stringMatching(/Z$/),
        appends: at === second ? 1 : 0,
        characters: 3,
      })),
    );
    expect((await sandbox.control('POST', '/streams/expire', { ts: first.ts })).body).toEqual({ expired: 1 });
    expect((await sandbox.control('POST', '/streams/expire', { channel: '#random' })).body).toEqual({ expired: 0 });
    expect(await append(first)).toEqual(over);
    expect(await append(second)).toMatchObject({ ok: true });
    expect((await sandbox.control('POST', '/streams/expire', { channel: channel.name })).body).toEqual({ expired: 1 });
    expect(await append(second)).toEqual(over);
    expect((await list()).map(({ state }: { state: string }) => state)).toEqual(['expired', 'expired']);
    const third = await start('');
    expect((await sandbox.control('POST', '/streams/expire')).body).toEqual({ expired: 1 });
    expect(await append(third)).toEqual(over);
    expect((await sandbox.control('POST', '/streams/expire', { ts: 7 })).status).toBe(400);
  });

  it('the hour of an agent at work and the two minutes of a status end before an advance of the clock is answered', async () => {
    const { sandbox, channel } = await begin();
    await sandbox.control('PUT', '/clock', { frozen: true });
    const { ts } = (await sandbox.call('chat.postMessage', { channel: channel.id, text: 'go' }, sandbox.person)).body;
    const thread = { channel_id: channel.id, thread_ts: ts };
    expect((await sandbox.call('agents.sessions.setStatus', { ...thread, status: 'processing' })).body).toMatchObject({
      ok: true,
    });
    await sandbox.call('assistant.threads.setStatus', { ...thread, status: 'is thinking' });
    const screen = async () => (await sandbox.send('GET', '/api/act/screen', sandbox.person)).body;
    await sandbox.control('POST', '/clock/advance', { seconds: 119 });
    expect(await screen()).toMatchObject({
      sessions: [{ status: 'processing' }],
      assistant: [{ status: 'is thinking' }],
    });
    await sandbox.control('POST', '/clock/advance', { seconds: 2 });
    expect(await screen()).toMatchObject({ sessions: [{ status: 'processing' }], assistant: [{ status: '' }] });
    await sandbox.control('POST', '/clock/advance', { by: '1h' });
    expect(await screen()).toMatchObject({ sessions: [{ status: 'active' }] });
  });

  it('the open socket of an app without a manifest hears of a stop, and is needed for it', async () => {
    const { sandbox, channel } = await begin();
    const { ts } = (await sandbox.call('chat.postMessage', { channel: channel.id, text: 'go' })).body;
    const place = { channel_id: channel.id, thread_ts: ts };
    const set = async () => (await sandbox.call('agents.sessions.setStatus', { ...place, status: 'processing' })).body;
    const stop = async () =>
      (
        await sandbox.send('POST', '/api/act/stop', sandbox.person, {
          channel: channel.id,
          thread_ts: ts,
          until: 'none',
        })
      ).status;
    expect(await set()).toMatchObject({ ok: true, warning: 'missing_agent_session_stopped_event_subscription' });
    expect(await stop()).toBe(409);
    const socket = await connect(app, sandbox.made.app_token);
    expect(await set()).not.toHaveProperty('warning');
    expect(await stop()).toBe(200);
    await socket.until((all) => all.some(({ payload }) => payload?.event?.type === 'agent_session_stopped'));
  });

  it('expire by the clock, before its advance is answered', async () => {
    const { sandbox, start, append, list } = await begin();
    const at = await start('slow');
    await sandbox.control('PUT', '/clock', { frozen: true });
    await sandbox.control('POST', '/clock/advance', { seconds: 250 });
    expect(await append(at)).toMatchObject({ ok: true });
    await sandbox.control('POST', '/clock/advance', { seconds: 60 });
    const [{ state, expires_at: ends }] = await list();
    expect(state).toBe('expired');
    const { entries } = (await sandbox.control('GET', '/timeline?kind=event&order=desc&limit=1')).body;
    expect(entries).toMatchObject([{ event: 'message' }]);
    expect(Math.abs(Date.parse(entries[0].at) - Date.parse(ends))).toBeLessThan(1_000);
  });

  it('a fault makes one expire before a call is judged', async () => {
    const { sandbox, start, append } = await begin();
    const fault = (method: string) =>
      sandbox.control('POST', '/faults', { on: { method }, fault: { type: 'expire_stream' } });
    for (const method of ['chat.postMessage', 'chat.*', 'chat.startStream']) {
      expect(await fault(method)).toMatchObject({ status: 400 });
    }
    expect(await fault('chat.appendStream')).toMatchObject({ status: 201 });
    const [at, other] = [await start('one'), await start('other')];
    expect(await append(at)).toEqual(over);
    expect(await append(other)).toMatchObject({ ok: true });
    await fault('chat.stopStream');
    expect((await sandbox.call('chat.stopStream', other)).body).toEqual(over);
  });

  it('lost and failing appends are faults as of any method', async () => {
    const { sandbox, start, append, text } = await begin();
    const at = await start('a');
    const fault = (what: object) =>
      sandbox.control('POST', '/faults', { on: { method: 'chat.appendStream' }, fault: what });
    await fault({ type: 'lose_answer', how: 'http' });
    expect((await sandbox.call('chat.appendStream', { ...at, markdown_text: 'b' })).status).toBe(502);
    expect(await text(at)).toBe('ab');
    await fault({ type: 'error', error: 'internal_error' });
    expect(await append(at, 'c')).toEqual({ ok: false, error: 'internal_error' });
    expect(await text(at)).toBe('ab');
  });

  it('are on the timeline by each call, and by the events of their start and their end alone', async () => {
    const { sandbox, start, append } = await begin();
    const at = await start('one');
    for (const text of [' two', ' three']) expect(await append(at, text)).toMatchObject({ ok: true });
    await sandbox.call('chat.stopStream', at);
    const calls = (await sandbox.control('GET', '/timeline?kind=call&method=chat.*')).body.entries;
    expect(calls.map(({ method }: { method: string }) => method)).toEqual([
      'chat.startStream',
      'chat.appendStream',
      'chat.appendStream',
      'chat.stopStream',
    ]);
    const events = (await sandbox.control('GET', `/timeline?kind=event&text=${at.ts}`)).body.entries;
    const told = events.map(({ data }: { data: Record<string, unknown> }) => [data['type'], data['subtype'] ?? null]);
    expect(told).toEqual([
      ['message', null],
      ['message', 'message_changed'],
    ]);
  });

  it('are as they were after a reset', async () => {
    const { sandbox, start, append, list, text } = await begin();
    const at = await start('before');
    await sandbox.control('POST', '/snapshots', { name: 'open' });
    await append(at, ' after');
    await sandbox.call('chat.stopStream', at);
    const later = await start('later');
    expect((await sandbox.control('POST', '/reset', { to: 'open' })).status).toBe(200);
    expect(await list()).toMatchObject([{ ...at, state: 'open', appends: 0 }]);
    expect(await text(later)).toBeUndefined();
    expect(await append(at, ' again')).toMatchObject({ ok: true });
    expect(await text(at)).toBe('before again');
  });

  it('are in copies, and of exports only those that ended', async () => {
    const made = await makeSandbox(app, { users: ['ann'], channels: [{ name: 'ops', members: ['ann'] }] });
    const { credentials } = made.body;
    const bot = bearer(credentials.bot_token);
    const call = async (method: string, args: object, as = bot) =>
      (await send(app, 'POST', `/api/${method}`, as, args)).body;
    const { user_id, team_id } = await call('auth.test', {}, bearer(credentials.user_token));
    const { channels } = await call('conversations.list', {});
    const channel = channels.find(({ name }: { name: string }) => name === 'general').id;
    const to = { channel, recipient_user_id: user_id, recipient_team_id: team_id };
    const ended = await call('chat.startStream', { ...to, markdown_text: 'ended **well**' });
    await call('chat.stopStream', { channel, ts: ended.ts });
    await call('chat.startStream', { ...to, markdown_text: 'open still' });
    const { body: document } = await send(app, 'GET', '/api/sandboxes/self/seed', made.ctl);
    const general = document.channels.find(({ name }: { name: string }) => name === 'general');
    expect(general.messages).toMatchObject([{ text: 'ended *well*', blocks: [{ type: 'rich_text' }] }]);
    const { body: snapshot } = await send(app, 'POST', '/api/sandboxes/self/snapshots', made.ctl, { name: 'all' });
    const copied = await send(app, 'POST', '/api/sandboxes', made.ctl, { from: snapshot.id });
    const ctl = { 'x-sandbox-token': String(copied.body.credentials.control_token) };
    const { body } = await send(app, 'GET', '/api/sandboxes/self/streams', ctl);
    expect(body.streams).toMatchObject([{ state: 'open' }, { state: 'stopped' }]);
    expect(body.streams[0].channel).not.toBe(channel);
    const [open] = body.streams;
    const grown = await call(
      'chat.appendStream',
      { channel: open.channel, ts: open.ts, markdown_text: ' here' },
      bearer(copied.body.credentials.bot_token),
    );
    expect(grown).toMatchObject({ ok: true });
  });
});
