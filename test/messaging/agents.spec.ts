import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { modalApp, type Json } from '../support/modal-app.js';
import { closeReceivers, eventually } from '../support/receiver.js';
import { rest } from '../support/rest-client.js';

const refused = (error: string) => ({ ok: false, error });
const prompts = [
  { title: 'Sum up', message: 'Sum up the day' },
  { title: 'Plan', message: 'Plan my week' },
];
const AGENT = { agent_view: { agent_description: 'Helps', suggested_prompts: prompts } };
const ASSISTANT = { assistant_view: { assistant_description: 'Helps', suggested_prompts: prompts } };

// docs/reference/chat.md#agent-sessions, docs/reference/acting.md#verbs
describe('agents and assistants', () => {
  const app = useApp();
  closeReceivers();

  const agent = async (features: Json, events: readonly string[]) => {
    const ws = await app.workspace();
    const made = await modalApp(app, ws, { features });
    const { body } = await rest(app, 'POST /events/subscribe', {
      token: made.bot.token,
      body: { request_url: made.far.url, events },
    });
    expect(body).toBeDefined();
    await ws.join(ws.general, made.bot, made.person);
    const told = (): Json[] => {
      const sent = made.far.received.map((request) => JSON.parse(request.body) as { event?: Json });
      return sent.flatMap(({ event }) => (event === undefined ? [] : [event]));
    };
    const heard = async (type: string): Promise<Json> => {
      await eventually(() => told().some((event) => event['type'] === type), type);
      return told().find((event) => event['type'] === type) as Json;
    };
    return { ws, ...made, heard };
  };

  it('an assistant is told of threads and of what is looked at beside them', async () => {
    const {
      ws,
      id,
      bot,
      person,
      act,
      refused: acted,
      heard,
    } = await agent(ASSISTANT, ['assistant_thread_started', 'assistant_thread_context_changed']);
    const { body } = await act('assistant_thread', { app_id: id, context: '#general', until: 'none' });
    const { channel, thread_ts: thread } = body.result;
    const context = { channel_id: ws.general.id, team_id: ws.id, enterprise_id: null };
    const about = { user_id: person.userId, context, channel_id: channel, thread_ts: thread };
    expect(await heard('assistant_thread_started')).toMatchObject({ assistant_thread: about });
    expect((await person.call('conversations.history', { channel })).messages).toMatchObject([
      { subtype: 'assistant_app_thread', text: 'New chat', user: bot.userId, ts: thread },
    ]);
    expect(await ws.recorded('message')).toEqual([]);
    const said = await person.call('chat.postMessage', { channel, thread_ts: thread, text: 'hello' });
    expect(said).toMatchObject({ ok: true });
    await bot.call('assistant.threads.setTitle', { channel_id: channel, thread_ts: thread, title: 'Greetings' });
    const [titled] = (await ws.recorded('message')).slice(-1);
    expect(titled).toMatchObject({
      subtype: 'message_changed',
      hidden: true,
      message: { ts: thread, assistant_app_thread: { title: 'Greetings' } },
      previous_message: { assistant_app_thread: { title: 'New chat' } },
    });
    await act('context', { app_id: id, thread_ts: thread, context: null });
    expect(await heard('assistant_thread_context_changed')).toMatchObject({
      assistant_thread: { ...about, context: {} },
    });
    expect(await acted('context', { app_id: id, context: '#general' })).toEqual([409, 'not_enabled']);
    expect(await acted('assistant_thread', { app_id: id, context: ['#general', '#random'] })).toEqual([
      400,
      expect.anything(),
    ]);
  });

  it('an agent is told what a person looks at, and shows prompts', async () => {
    const {
      ws,
      id,
      person,
      act,
      refused: acted,
      heard,
      far,
    } = await agent(AGENT, ['app_home_opened', 'app_context_changed']);
    const opened = await act('home', { app_id: id, tab: 'messages', context: '#general', until: 'ack' });
    expect(opened.body.result).toMatchObject({ prompts, prompts_title: null });
    const entity = { type: 'slack#/types/channel_id', value: ws.general.id, team_id: ws.id };
    expect(await heard('app_home_opened')).toMatchObject({ tab: 'messages', context: { entities: [entity] } });
    const looked = await act('context', { app_id: id, context: [{ canvas: 'F1' }, '#general'] });
    expect(await heard('app_context_changed')).toMatchObject({
      channel: looked.body.result.channel,
      user: person.userId,
      context: { entities: [{ type: 'slack#/types/canvas_id', value: 'F1', team_id: ws.id }, entity] },
    });
    const { ts } = await person.call('chat.postMessage', { channel: ws.general.id, text: 'look' });
    const at = { channel: ws.general.id, ts };
    await act('context', { app_id: id, context: [{ list: 'F2' }, { message: at }], until: 'none' });
    const context = {
      entities: [
        { type: 'slack#/types/list_id', value: 'F2', team_id: ws.id },
        { type: 'slack#/types/message_context', value: { message_ts: ts, channel_id: ws.general.id }, team_id: ws.id },
      ],
    };
    await act('context', { app_id: id, context: null });
    const contexts = (): unknown[] =>
      far.received
        .map(({ body }) => (JSON.parse(body) as { event?: Json }).event)
        .flatMap((event) => (event?.['type'] === 'app_context_changed' ? [event['context']] : []));
    await eventually(() => contexts().length === 3, 'the contexts');
    expect(contexts().slice(1)).toEqual([context, {}]);
    for (const wrong of [7, { channel: 7 }, [{}]]) {
      expect((await acted('context', { app_id: id, context: wrong }))[0]).toBe(400);
    }
    const screen = await rest(app, 'GET /act/screen', { token: person.token });
    expect(screen.body.assistant).toMatchObject([{ channel: opened.body.result.channel, app_id: id, prompts }]);
    for (const [title, message] of [
      ['Plan', prompts[1]?.message],
      ['1', prompts[0]?.message],
    ] as const) {
      const { body } = await act('prompt', { app_id: id, title, until: 'none' });
      const { messages } = await person.call('conversations.history', { channel: body.result.channel, limit: 1 });
      expect(messages).toMatchObject([{ text: message, user: person.userId, ts: body.result.ts }]);
    }
    expect(await acted('prompt', { app_id: id, title: 'Sing' })).toEqual([404, 'prompt_not_found']);
    expect(await acted('assistant_thread', { app_id: id })).toEqual([409, 'not_enabled']);
  });

  it('a session is made, shown on its thread, stopped, and renamed by agents.sessions.rename', async () => {
    const {
      ws,
      id,
      bot,
      person,
      act,
      refused: acted,
      heard,
    } = await agent(AGENT, ['agent_session_stopped', 'agent_session_title_changed']);
    const channel = ws.general.id;
    const root = await person.call('chat.postMessage', { channel, text: 'go' });
    const thread = { channel, thread_ts: root.ts };
    const set = (args: object, client = bot) =>
      client.call('agents.sessions.setStatus', { channel_id: channel, thread_ts: root.ts, ...args });
    expect(await acted('stop', thread)).toEqual([404, 'session_not_found']);
    expect(await set({ status: 'processing', title: 'Work' })).toEqual({
      ok: true,
      status: 'processing',
      agent_status: 'processing',
      title: 'Work',
    });
    const ends = expect.any(Number);
    const shown = async () => (await person.call('conversations.history', { channel, limit: 1 })).messages[0];
    expect(await shown()).toMatchObject({
      text: 'go',
      agent_session: {
        status: 'processing',
        agent_bot_user_ids: [bot.userId],
        title: 'Work',
        date_status_processing_expire: ends,
        agent_statuses: [
          {
            agent_bot_user_id: bot.userId,
            status: 'processing',
            date_status_processing_expire: ends,
            is_stoppable: true,
          },
        ],
      },
    });
    expect((await ws.recorded('message')).at(-1)).toMatchObject({
      subtype: 'message_changed',
      hidden: true,
      message: { text: 'go' },
      previous_message: { text: 'go' },
    });
    const recipients = { recipient_user_id: person.userId, recipient_team_id: ws.id };
    const stream = await bot.call('chat.startStream', { ...thread, ...recipients, markdown_text: 'so far' });
    const screen = await rest(app, 'GET /act/screen', { token: person.token });
    expect(screen.body).toMatchObject({
      streams: [{ channel, ts: stream.ts, thread_ts: root.ts, app_id: id, state: 'open', text: 'so far' }],
      sessions: [{ channel, thread_ts: root.ts, status: 'processing', title: 'Work', stoppable: true }],
    });
    const stopped = await act('stop', thread);
    expect(stopped.body.result).toEqual({ streaming_message_ts: [stream.ts] });
    expect(await heard('agent_session_stopped')).toMatchObject({
      ...thread,
      user: person.userId,
      streaming_message_ts: [stream.ts],
    });
    const at = { channel, ts: stream.ts };
    expect(await bot.call('chat.appendStream', { ...at, markdown_text: 'x' })).toEqual(refused('stopped_by_user'));
    const finished = await bot.call('chat.stopStream', {
      ...at,
      markdown_text: ' (stopped)',
      session_status: 'active',
    });
    expect(finished.message).toMatchObject({ text: 'so far (stopped)', streaming_state: 'completed' });
    expect(await bot.call('chat.appendStream', { ...at, markdown_text: 'x' })).toEqual(
      refused('message_not_in_streaming_state'),
    );
    expect((await shown()).agent_session).toMatchObject({ status: 'active' });
    expect(await acted('stop', thread)).toEqual([409, 'not_stoppable']);
    const renamed = await act('rename_session', { ...thread, title: 'Done' });
    expect(renamed.body.result).toEqual({ title: 'Done', previous_title: 'Work' });
    expect(await heard('agent_session_title_changed')).toMatchObject({
      ...thread,
      team_id: ws.id,
      title: 'Done',
      previous_title: 'Work',
    });
    const rename = (args: object) => bot.call('agents.sessions.rename', { channel_id: channel, ...args });
    expect(await rename({ thread_ts: root.ts, title: 'Again' })).toEqual({ ok: true, title: 'Again' });
    expect(await rename({ title: 'x' })).toEqual(refused('thread_ts_required'));
    expect(await rename({ title: 'x', thread_ts: '1.5' })).toEqual(refused('session_not_found'));
  });

  it('agents.sessions.setStatus tells each error in its order', async () => {
    const { ws, bot, person } = await agent(AGENT, ['message.channels']);
    const channel = ws.general.id;
    const { ts } = await person.call('chat.postMessage', { channel, text: 'go' });
    const set = (args: object, client = bot) =>
      client.call('agents.sessions.setStatus', { channel_id: channel, status: 'active', thread_ts: ts, ...args });
    expect(await set({ status: '' })).toMatchObject(refused('invalid_arguments'));
    expect(await set({ status: 'busy', channel_id: 'C0NOWHERE01' })).toMatchObject(refused('invalid_status'));
    expect(await set({ channel_id: 'C0NOWHERE01' })).toEqual(refused('channel_not_found'));
    const other = await ws.channel({ members: [person] });
    expect(await set({ channel_id: other.id, thread_ts: '' })).toEqual(refused('not_authorized'));
    const plain = await ws.bot({ features: { assistant_view: { assistant_description: 'x' } } });
    expect(await set({ thread_ts: '' }, plain)).toEqual(refused('not_authorized'));
    expect(await set({ thread_ts: '', initiator_user_id: 'U0NOBODY001' })).toEqual(refused('thread_ts_required'));
    expect(await set({ thread_ts: '1.5', initiator_user_id: 'U0NOBODY001' })).toEqual(refused('thread_not_found'));
    expect(await set({ initiator_user_id: 'U0NOBODY001' })).toEqual(refused('user_not_found'));
    expect(await set({})).toMatchObject({
      ok: true,
      warning: 'missing_agent_session_stopped_event_subscription',
    });
    expect(await set({}, person)).toEqual(refused('not_allowed_token_type'));
  });

  it('a session with several agents has the first status that any of them has, and only they rename it', async () => {
    const { ws, bot, person } = await agent(AGENT, ['message.channels']);
    const second = await ws.bot({ features: AGENT });
    await ws.join(ws.general, second);
    const channel = ws.general.id;
    const { ts } = await person.call('chat.postMessage', { channel, text: 'go' });
    const set = async (client: typeof bot, status: string): Promise<unknown> =>
      (await client.call('agents.sessions.setStatus', { channel_id: channel, thread_ts: ts, status })).status;
    const rename = { channel_id: channel, thread_ts: ts, title: 'Ours' };
    expect(await set(bot, 'closed')).toBe('closed');
    expect(await second.call('agents.sessions.rename', rename)).toEqual(refused('not_authorized'));
    expect(await set(second, 'active')).toBe('active');
    expect(await second.call('agents.sessions.rename', rename)).toEqual({ ok: true, title: 'Ours' });
    expect(await set(bot, 'suspended')).toBe('suspended');
    expect(await set(second, 'processing')).toBe('processing');
    expect(await set(bot, 'active')).toBe('processing');
    const [root] = (await person.call('conversations.history', { channel, limit: 1 })).messages;
    expect(root.agent_session).toMatchObject({
      status: 'processing',
      title: 'Ours',
      agent_bot_user_ids: [bot.userId, second.userId],
      agent_statuses: [{ status: 'active' }, { status: 'processing', is_stoppable: false }],
    });
  });

  it('a session status that is refused leaves the stream as it was', async () => {
    const { ws, bot, person } = await agent(AGENT, ['message.channels']);
    const plain = await ws.bot({ features: ASSISTANT });
    await ws.join(ws.general, plain);
    const channel = ws.general.id;
    const to = { channel, recipient_user_id: person.userId, recipient_team_id: ws.id, markdown_text: 'so far' };
    for (const [client, status, error] of [
      [bot, 'busy', 'invalid_status'],
      [plain, 'active', 'not_authorized'],
    ] as const) {
      const { ts } = await client.call('chat.startStream', to);
      const end = { channel, ts, markdown_text: ' more' };
      expect(await client.call('chat.stopStream', { channel, ts: '1.5', session_status: 'active' })).toEqual(
        refused('message_not_found'),
      );
      expect(await client.call('chat.stopStream', { ...end, session_status: status })).toMatchObject(refused(error));
      expect((await client.call('chat.stopStream', end)).message).toMatchObject({ text: 'so far more' });
    }
  });

  it('an agent that works for an hour is active again, and nobody is told', async () => {
    const { ws, bot, person } = await agent(AGENT, ['message.channels']);
    const channel = ws.general.id;
    const { ts } = await person.call('chat.postMessage', { channel, text: 'go' });
    await bot.call('agents.sessions.setStatus', { channel_id: channel, thread_ts: ts, status: 'processing' });
    const before = (await ws.recorded()).length;
    app.clock.advance(3_601_000);
    const session = async () =>
      (await bot.call('conversations.history', { channel, limit: 1 })).messages[0].agent_session;
    await expect.poll(async () => (await session()).status, { timeout: 5_000 }).toBe('active');
    expect(await session()).not.toHaveProperty('date_status_processing_expire');
    expect(await ws.recorded()).toHaveLength(before);
  });

  it('a manifest has one of the two views, with its description, and gets the scope', async () => {
    const ws = await app.workspace();
    const admin = await ws.jwtClient({ user: ws.admin });
    const make = (features: object) =>
      rest(app, 'POST /apps', {
        token: admin.token,
        body: { manifest: { display_information: { name: 'a' }, features } },
      });
    for (const wrong of [
      { ...AGENT, ...ASSISTANT },
      { agent_view: {} },
      { agent_view: { agent_description: 'x'.repeat(301) } },
      { assistant_view: { assistant_description: 'x', suggested_prompts: [{ title: 'x' }] } },
    ]) {
      expect(await make(wrong)).toMatchObject({ status: 400 });
    }
    const { status, body } = await make(AGENT);
    expect(status).toBe(201);
    expect(JSON.stringify(body)).toContain('assistant:write');
    expect(body).not.toHaveProperty('warnings');
  });

  it('feedback presses the button that says so', async () => {
    const { ws, bot, far, person, act, payload, refused: acted } = await agent(AGENT, ['message.channels']);
    const button = (value: string) => ({ text: { type: 'plain_text', text: value }, value });
    const { channel, ts } = await bot.call('chat.postMessage', {
      channel: ws.general.id,
      text: 'an answer',
      blocks: [
        {
          type: 'context_actions',
          elements: [
            {
              type: 'feedback_buttons',
              action_id: 'feedback',
              positive_button: button('good'),
              negative_button: button('bad'),
            },
          ],
        },
      ],
    });
    await act('feedback', { channel, message_ts: ts, value: 'negative' });
    expect((payload()['actions'] as Json[])[0]).toEqual({
      type: 'feedback_buttons',
      action_id: 'feedback',
      block_id: expect.any(String),
      text: button('bad').text,
      value: 'bad',
      action_ts: expect.any(String),
    });
    const click = { channel, message_ts: ts, action_id: 'feedback' };
    expect(await acted('click', { ...click, value: 'so-so' })).toEqual([400, 'invalid_option']);
    expect(far.received.length).toBeGreaterThan(0);
    const plain = await person.call('chat.postMessage', { channel, text: 'x' });
    expect(await acted('feedback', { channel, message_ts: plain.ts, value: 'positive' })).toEqual([
      404,
      'action_not_found',
    ]);
  });

  it('an icon button is pressed by those who see it, with its icon', async () => {
    const { ws, bot, person, act, payload, refused: acted } = await agent(AGENT, ['message.channels']);
    const icon = (actionId: string, seenBy?: string) => ({
      type: 'icon_button',
      action_id: actionId,
      icon: 'trash',
      text: { type: 'plain_text', text: 'Delete' },
      value: 'delete',
      ...(seenBy && { visible_to_user_ids: [seenBy] }),
    });
    const { channel, ts } = await bot.call('chat.postMessage', {
      channel: ws.general.id,
      text: 'an answer',
      blocks: [{ type: 'context_actions', elements: [icon('mine', person.userId), icon('theirs', bot.userId)] }],
    });
    await act('click', { channel, message_ts: ts, action_id: 'mine' });
    expect(payload()).toMatchObject({
      actions: [{ type: 'icon_button', action_id: 'mine', icon: 'trash', text: { text: 'Delete' }, value: 'delete' }],
    });
    expect(await acted('click', { channel, message_ts: ts, action_id: 'theirs' })).toEqual([404, 'action_not_found']);
  });
});
