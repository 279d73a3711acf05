import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import type { ChatClient } from '../support/chat-client.js';
import { modalApp, type Json } from '../support/modal-app.js';
import { closeReceivers, eventually } from '../support/receiver.js';
import { rest } from '../support/rest-client.js';

const refused = (error: string) => ({ ok: false, error });
const x = (length: number) => 'x'.repeat(length);
const AGENT = { agent_view: { agent_description: 'Helps' } };
const ASSISTANT = { assistant_view: { assistant_description: 'Helps' } };
const TS = expect.stringMatching(/^\d{10}\.\d{6}$/);

// docs/reference/chat.md#agent-sessions, docs/reference/events.md#agents
describe('the edges of agents', () => {
  const app = useApp();
  closeReceivers();

  /** An agent in #general with a thread, and what it hears of the kinds that it asked for. */
  const begin = async (features: Json, events: readonly string[] = [], scopes: readonly string[] = []) => {
    const ws = await app.workspace();
    const made = await modalApp(app, ws, { features, scopes });
    if (events.length > 0) {
      const body = { request_url: made.far.url, events };
      await rest(app, 'POST /events/subscribe', { token: made.bot.token, body });
    }
    await ws.join(ws.general, made.bot, made.person);
    const channel = ws.general.id;
    const { ts } = await made.person.call('chat.postMessage', { channel, text: 'go' });
    const set = (args: Json = {}, client: ChatClient = made.bot) =>
      client.call('agents.sessions.setStatus', { channel_id: channel, thread_ts: ts, status: 'active', ...args });
    const rename = (args: Json) =>
      made.bot.call('agents.sessions.rename', { channel_id: channel, thread_ts: ts, title: 'x', ...args });
    const root = async () => (await made.person.call('conversations.history', { channel, limit: 1 })).messages[0];
    const told = (): Json[] =>
      made.far.received.flatMap(({ body }) => {
        const { event } = JSON.parse(body) as { event?: Json };
        return event ? [event] : [];
      });
    const heard = async (type: string): Promise<Json> => {
      const find = () => told().find((event) => event['type'] === type);
      await eventually(() => find() !== undefined, type);
      return find() as Json;
    };
    return { ws, ...made, channel, ts: ts as string, set, rename, root, told, heard };
  };

  it('titles and names have at most 200 characters', async () => {
    const { set, rename } = await begin(AGENT);
    for (const field of ['title', 'username']) {
      expect(await set({ [field]: x(201) })).toMatchObject(refused('invalid_arguments'));
      expect(await set({ [field]: x(200) })).toMatchObject({ ok: true });
    }
    for (const title of ['', x(201), null]) expect(await rename({ title })).toMatchObject(refused('invalid_arguments'));
    expect(await rename({ title: x(200) })).toEqual({ ok: true, title: x(200) });
    expect(await rename({ channel_id: 'C0NOWHERE01', thread_ts: '' })).toEqual(refused('channel_not_found'));
  });

  it('a title is given when the session is made, and not again; without one there is none', async () => {
    const first = await begin(AGENT);
    const bare = await first.set();
    expect(bare).toMatchObject({ ok: true, status: 'active', agent_status: 'active' });
    expect(bare).not.toHaveProperty('title');
    expect(await first.set({ title: 'Late' })).not.toHaveProperty('title');
    expect((await first.root()).agent_session).not.toHaveProperty('title');
    const second = await begin(AGENT);
    const { person } = second;
    expect(await second.set({ title: 'Early', initiator_user_id: person.userId })).toMatchObject({ title: 'Early' });
    expect(await second.set({ title: 'Late' })).toMatchObject({ title: 'Early' });
  });

  it('shows until when it works, and each change to all with the same text', async () => {
    const { ws, bot, set, root, ts } = await begin(AGENT);
    const before = Math.floor(app.clock.nowMicros() / 1e6);
    await set({ status: 'processing' });
    const { agent_session: session } = await root();
    const { date_status_processing_expire: ends } = session;
    expect(ends).toBeGreaterThanOrEqual(before + 3_600);
    expect(ends).toBeLessThanOrEqual(before + 3_620);
    const own = { agent_bot_user_id: bot.userId, is_stoppable: false };
    expect(session).toEqual({
      status: 'processing',
      agent_bot_user_ids: [bot.userId],
      date_status_processing_expire: ends,
      agent_statuses: [{ ...own, status: 'processing', date_status_processing_expire: ends }],
    });
    await set({ status: 'suspended' });
    const paused = { status: 'suspended', agent_bot_user_ids: [bot.userId] };
    expect((await root()).agent_session).toEqual({ ...paused, agent_statuses: [{ ...own, status: 'suspended' }] });
    const changes = (await ws.recorded('message')).filter(({ subtype }) => subtype === 'message_changed');
    expect(changes).toHaveLength(2);
    for (const { hidden, message, previous_message: previous } of changes as Record<string, any>[]) {
      expect([hidden, message.ts, message.text, previous.text]).toEqual([true, ts, 'go', 'go']);
      expect(message).not.toHaveProperty('edited');
    }
    expect(changes[0]?.['previous_message']).not.toHaveProperty('agent_session');
  });

  it('warns an app that does not hear of a stop, and no app that does', async () => {
    const warning = 'missing_agent_session_stopped_event_subscription';
    const deaf = await begin(AGENT, ['message.channels']);
    expect(await deaf.set()).toMatchObject({ ok: true, warning });
    const hearing = await begin(AGENT, ['agent_session_stopped']);
    expect(await hearing.set()).not.toHaveProperty('warning');
    expect((await hearing.root()).agent_session.agent_statuses).toMatchObject([{ is_stoppable: true }]);
    expect((await deaf.root()).agent_session.agent_statuses).toMatchObject([{ is_stoppable: false }]);
  });

  it('stops and new titles are told to the agent alone, in their shapes', async () => {
    const { ws, person, act, set, channel, ts, heard } = await begin(AGENT, [
      'agent_session_stopped',
      'agent_session_title_changed',
    ]);
    const other = await begin(AGENT, ['agent_session_stopped', 'agent_session_title_changed']);
    await set({ status: 'processing' });
    const thread = { channel, thread_ts: ts };
    expect((await act('rename_session', { ...thread, title: 'One' })).body.result).toEqual({
      title: 'One',
      previous_title: null,
    });
    const about = { channel, user: person.userId, thread_ts: ts, event_ts: TS };
    expect(await heard('agent_session_title_changed')).toEqual({
      type: 'agent_session_title_changed',
      team_id: ws.id,
      title: 'One',
      ...about,
    });
    expect((await act('stop', thread)).body.result).toEqual({ streaming_message_ts: [] });
    expect(await heard('agent_session_stopped')).toEqual({
      type: 'agent_session_stopped',
      streaming_message_ts: [],
      ...about,
    });
    expect(other.told()).toEqual([]);
  });

  it('an assistant hears of threads and contexts in their shapes, and the root is a message like others', async () => {
    const kinds = ['assistant_thread_started', 'assistant_thread_context_changed', 'app_home_opened'];
    const { ws, id, bot, botId, person, act, heard } = await begin(ASSISTANT, kinds);
    const { channel, thread_ts } = (await act('assistant_thread', { app_id: id, until: 'ack' })).body.result;
    const about = { user_id: person.userId, channel_id: channel, thread_ts };
    expect(await heard('assistant_thread_started')).toEqual({
      type: 'assistant_thread_started',
      assistant_thread: { ...about, context: {} },
      event_ts: TS,
    });
    await act('context', { app_id: id, thread_ts, context: '#general', until: 'ack' });
    expect(await heard('assistant_thread_context_changed')).toEqual({
      type: 'assistant_thread_context_changed',
      assistant_thread: { ...about, context: { channel_id: ws.general.id, team_id: ws.id, enterprise_id: null } },
      event_ts: TS,
    });
    const [root] = (await person.call('conversations.history', { channel })).messages;
    expect(root).toMatchObject({
      type: 'message',
      subtype: 'assistant_app_thread',
      user: bot.userId,
      bot_id: botId,
      text: 'New chat',
      ts: thread_ts,
      assistant_app_thread: { title: 'New chat', title_blocks: [], artifacts: [] },
    });
    expect(await person.call('chat.postMessage', { channel, thread_ts, text: 'hi' })).toMatchObject({ ok: true });
    await act('home', { app_id: id, tab: 'messages', context: '#general', until: 'ack' });
    expect(await heard('app_home_opened')).not.toHaveProperty('context');
  });

  it('an agent that is opened with nothing beside it hears of an empty context', async () => {
    const { id, act, heard } = await begin(AGENT, ['app_home_opened', 'app_context_changed']);
    const { channel } = (await act('home', { app_id: id, tab: 'messages', until: 'ack' })).body.result;
    expect(await heard('app_home_opened')).toMatchObject({ channel, tab: 'messages', context: {} });
  });

  it('suggested prompts without a thread are pinned to the direct message', async () => {
    const { id, bot, act, person } = await begin(AGENT, [], ['assistant:write']);
    const { channel } = (await act('home', { app_id: id, tab: 'messages', until: 'ack' })).body.result;
    const prompts = [{ title: 'Do', message: 'do it' }];
    const pin = { channel_id: channel, prompts, title: 'Try' };
    expect(await bot.call('assistant.threads.setSuggestedPrompts', pin)).toEqual({ ok: true });
    const opened = await act('home', { app_id: id, tab: 'messages', until: 'ack' });
    expect(opened.body.result).toEqual({ channel, view: null, prompts, prompts_title: 'Try' });
    const { result } = (await act('prompt', { channel, title: 'Do', until: 'none' })).body;
    expect((await person.call('conversations.history', { channel, limit: 1 })).messages).toMatchObject([
      { text: 'do it', user: person.userId, ts: result.ts },
    ]);
    for (const title of ['0', '2', 'do']) expect((await act('prompt', { channel, title })).status).toBe(404);
  });

  it('an app without a manifest is an agent and an assistant', async () => {
    const ws = await app.workspace();
    const bot = await ws.defaultBot();
    const person = await ws.jwtClient();
    const act = (verb: string, body: Json = {}) =>
      rest(app, `POST /act/${verb}`, { token: person.token, body: { until: 'none', ...body } });
    expect((await act('assistant_thread')).status).toBe(200);
    expect((await act('context', { context: null })).status).toBe(200);
    await ws.join(ws.general, bot, person);
    const { ts } = await person.call('chat.postMessage', { channel: ws.general.id, text: 'go' });
    const set = { channel_id: ws.general.id, thread_ts: ts, status: 'active' };
    expect(await bot.call('agents.sessions.setStatus', set)).toMatchObject({ ok: true });
  });

  it('a manifest has at most four prompts and a description of 1 to 300 characters, and actions without a warning', async () => {
    const ws = await app.workspace();
    const { token } = await ws.adminClient();
    const make = async (features: Json) => {
      const manifest = { display_information: { name: 'a' }, features };
      const { status, body } = await rest(app, 'POST /apps', { token, body: { manifest } });
      return [status, body.warnings];
    };
    const prompts = (count: number) => Array.from({ length: count }, () => ({ title: 'a', message: 'b' }));
    const view = (more: Json) => ({ agent_view: { agent_description: 'x', ...more } });
    expect(await make(view({ suggested_prompts: prompts(4), actions: [{ name: 'x' }] }))).toEqual([201, undefined]);
    expect((await make(view({ suggested_prompts: prompts(5) })))[0]).toBe(400);
    expect(await make(view({ agent_description: x(300) }))).toEqual([201, undefined]);
    for (const description of ['', x(301), 7]) {
      expect((await make(view({ agent_description: description })))[0]).toBe(400);
    }
    expect((await make({ assistant_view: {} }))[0]).toBe(400);
    expect(await make({ rich_previews: { is_active: true, entity_types: ['slack#/entities/task'] } })).toEqual([
      201,
      undefined,
    ]);
  });

  it('elements in cards, carousels and containers are clicked like any', async () => {
    const { bot, act, payload, channel } = await begin(AGENT);
    const button = (action_id: string) => ({ type: 'button', action_id, text: { type: 'plain_text', text: 'Go' } });
    const card = (action_id: string) => ({
      type: 'card',
      body: { type: 'mrkdwn', text: 'x' },
      actions: [button(action_id)],
    });
    const blocks = [
      card('in-card'),
      { type: 'carousel', elements: [card('first'), card('in-carousel')] },
      {
        type: 'container',
        title: { type: 'plain_text', text: 'x' },
        child_blocks: [
          { type: 'actions', elements: [button('in-container')] },
          { type: 'section', text: { type: 'mrkdwn', text: 'x' }, accessory: button('in-section') },
        ],
      },
    ];
    const { ts } = await bot.call('chat.postMessage', { channel, text: 'x', blocks });
    for (const action_id of ['in-card', 'in-carousel', 'in-container', 'in-section']) {
      expect((await act('click', { channel, message_ts: ts, action_id })).status).toBe(200);
      expect(payload()).toMatchObject({
        type: 'block_actions',
        actions: [{ type: 'button', action_id, block_id: expect.any(String), action_ts: expect.any(String) }],
      });
    }
  });
});
