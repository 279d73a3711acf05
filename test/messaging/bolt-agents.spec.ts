import { App, Assistant, LogLevel, type AllMiddlewareArgs, type SlackEventMiddlewareArgs } from '@slack/bolt';
import type { ContextActionsBlock } from '@slack/types';
import { afterAll, describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { eventually } from '../support/receiver.js';
import { rest } from '../support/rest-client.js';

type Json = Record<string, any>;
type Model = (input: string) => AsyncGenerator<string>;

const FEEDBACK: ContextActionsBlock = {
  type: 'context_actions',
  elements: [
    {
      type: 'feedback_buttons',
      action_id: 'feedback',
      positive_button: {
        text: { type: 'plain_text', text: 'Good Response' },
        accessibility_label: 'Submit positive feedback on this response',
        value: 'good-feedback',
      },
      negative_button: {
        text: { type: 'plain_text', text: 'Bad Response' },
        accessibility_label: 'Submit negative feedback on this response',
        value: 'bad-feedback',
      },
    },
  ],
};
const LOADING = ['Reading…', 'Writing…'];
const SUM_UP = 'Assistant, please summarize the activity in this channel!';

/** As the vendor's template of an assistant asks for it. */
const ASSISTANT_MANIFEST = {
  $schema: 'https://raw.githubusercontent.com/slackapi/manifest-schema/main/manifest.schema.json',
  display_information: { name: 'Bolt JS AI Agent' },
  features: {
    app_home: { home_tab_enabled: false, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
    bot_user: { display_name: 'Bolt JS AI Agent', always_online: false },
    assistant_view: { assistant_description: 'At your service', suggested_prompts: [] },
  },
  oauth_config: {
    scopes: {
      bot: [
        'app_mentions:read',
        'assistant:write',
        'channels:history',
        'channels:join',
        'chat:write',
        'im:history',
        'groups:history',
      ],
    },
  },
  settings: {
    event_subscriptions: {
      bot_events: ['app_mention', 'assistant_thread_context_changed', 'assistant_thread_started', 'message.im'],
    },
    interactivity: { is_enabled: true },
    org_deploy_enabled: true,
    socket_mode_enabled: true,
    token_rotation_enabled: false,
  },
};

/** As the vendor's starter agent asks for it. */
const AGENT_MANIFEST = {
  display_information: { name: 'Starter Agent' },
  features: {
    agent_view: { agent_description: 'Here to help you out', suggested_prompts: [] },
    app_home: { home_tab_enabled: true, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
    bot_user: { display_name: 'Starter Agent', always_online: false },
  },
  oauth_config: {
    scopes: {
      bot: [
        'app_mentions:read',
        'channels:history',
        'chat:write',
        'groups:history',
        'im:history',
        'im:read',
        'im:write',
        'reactions:write',
        'reactions:read',
        'users:read',
        'assistant:write',
      ],
    },
  },
  settings: {
    event_subscriptions: {
      bot_events: [
        'app_home_opened',
        'app_context_changed',
        'app_mention',
        'message.channels',
        'message.groups',
        'message.im',
      ],
    },
    interactivity: { is_enabled: true },
    org_deploy_enabled: true,
    socket_mode_enabled: true,
    token_rotation_enabled: false,
  },
};

/** A tool that the model of an assistant calls, and what becomes of it. */
async function answerWithTool(streamer: { append(args: Json): Promise<unknown> }, model: Model, input: string) {
  for await (const piece of model(input)) {
    if (!piece.startsWith('/roll ')) await streamer.append({ markdown_text: piece });
    else {
      const task = { type: 'task_update', id: 'call-1' };
      await streamer.append({ chunks: [{ ...task, title: 'Rolling a 2d12…', status: 'in_progress' }] });
      await streamer.append({ chunks: [{ ...task, title: `Rolled ${piece.slice(6)}`, status: 'complete' }] });
    }
  }
}

/** The listeners of the vendor's template of an assistant, with a model that a test writes. */
function listenAsAssistant(app: App, model: Model): void {
  const assistant = new Assistant({
    threadStarted: async ({ event, logger, say, setSuggestedPrompts, saveThreadContext }) => {
      const { context } = event.assistant_thread;
      try {
        await say('Hi, how can I help?');
        await saveThreadContext();
        if (!context.channel_id) {
          const prompts = [
            { title: 'Prompt a task with thinking steps', message: 'Wonder a few deep thoughts.' },
            { title: 'Roll dice', message: 'Roll two dice.' },
          ];
          await setSuggestedPrompts({ title: 'Start with this suggested prompt:', prompts });
        } else {
          const prompts = [{ title: 'Summarize channel', message: SUM_UP }] as const;
          await setSuggestedPrompts({ title: 'Perform an action based on the channel', prompts: [...prompts] });
        }
      } catch (error) {
        logger.error(error);
      }
    },
    threadContextChanged: async ({ saveThreadContext }) => saveThreadContext(),
    userMessage: async ({
      client,
      context,
      logger,
      message,
      getThreadContext,
      say,
      sayStream,
      setTitle,
      setStatus,
    }) => {
      if (!('text' in message) || !('thread_ts' in message) || !message.text || !message.thread_ts) return;
      const { channel, thread_ts } = message;
      const { userId, teamId } = context;
      const to = { channel, recipient_team_id: teamId as string, recipient_user_id: userId as string, thread_ts };
      try {
        await setTitle(message.text);
        await setStatus({ status: 'thinking...', loading_messages: LOADING });
        if (message.text === SUM_UP) {
          const { channel_id: about = '' } = await getThreadContext();
          let history;
          try {
            history = await client.conversations.history({ channel: about, limit: 50 });
          } catch (error) {
            if ((error as Json)['data'].error !== 'not_in_channel') throw error;
            await client.conversations.join({ channel: about });
            history = await client.conversations.history({ channel: about, limit: 50 });
          }
          const said = (history.messages ?? []).map(({ user, text }) => `<@${user}> says: ${text}`).toReversed();
          const streamer = client.chatStream(to);
          await answerWithTool(streamer, model, said.join('\n'));
          await streamer.stop({ blocks: [FEEDBACK] });
        } else if (message.text === 'Wonder a few deep thoughts.') {
          const streamer = client.chatStream({ ...to, task_display_mode: 'plan' });
          const first = { type: 'task_update', id: '001', title: 'Understanding the task...' } as const;
          const second = { type: 'task_update', id: '002', title: 'Performing acrobatics...' } as const;
          await streamer.append({
            chunks: [
              { type: 'markdown_text', text: 'Hello.\nI have received the task. ' },
              { type: 'markdown_text', text: 'This task appears manageable.\nThat is good.' },
              { ...first, status: 'in_progress', details: '- Identifying the goal\n- Identifying constraints' },
              { ...second, status: 'pending' },
            ],
          });
          await streamer.append({
            chunks: [
              { type: 'plan_update', title: 'Adding the final pieces...' },
              { ...first, status: 'complete', details: '\n- Pretending this was obvious', output: 'We go on' },
              { ...second, status: 'in_progress' },
            ],
          });
          await streamer.stop({
            chunks: [
              { type: 'plan_update', title: 'Decided to put on a show' },
              { ...second, status: 'complete', details: '- Jumped atop ropes' },
              { type: 'markdown_text', text: 'The crowd applauds :popcorn:' },
            ],
          });
        } else {
          const thread = await client.conversations.replies({ channel, ts: thread_ts, oldest: thread_ts });
          const history = (thread.messages ?? []).map((m) => `${m.bot_id ? 'Assistant' : 'User'}: ${m.text || ''}`);
          const streamer = sayStream();
          await answerWithTool(streamer, model, history.join('\n'));
          await streamer.stop({ blocks: [FEEDBACK] });
        }
      } catch (error) {
        logger.error(error);
        await say({ text: `Sorry, something went wrong! ${String(error)}` });
      }
    },
  });
  app.assistant(assistant);
  app.event('app_mention', async ({ event, client, say }) => {
    const { channel, text, team, user } = event;
    const thread_ts = event.thread_ts ?? event.ts;
    try {
      const status = { channel_id: channel, thread_ts, status: 'thinking...', loading_messages: LOADING };
      await client.assistant.threads.setStatus(status);
      const to = { channel, recipient_team_id: team as string, recipient_user_id: user as string, thread_ts };
      const streamer = client.chatStream(to);
      await answerWithTool(streamer, model, text);
      await streamer.stop({ blocks: [FEEDBACK] });
    } catch (error) {
      await say(`:warning: Something went wrong! (${String(error)})`);
    }
  });
}

type StarterArgs<E extends 'message' | 'app_mention'> = AllMiddlewareArgs & SlackEventMiddlewareArgs<E>;

/** The listeners of the vendor's starter agent, with a model that a test writes. */
function listenAsAgent(app: App, model: Model): void {
  const histories = new Map<string, string[]>();
  const whole = async (input: string): Promise<string> => {
    let text = '';
    for await (const piece of model(input)) text += piece;
    return text;
  };
  const answer = async (
    { say, sayStream, setStatus }: Pick<StarterArgs<'message'>, 'say' | 'sayStream' | 'setStatus'>,
    { channel, thread_ts, text }: { channel: string; thread_ts: string; text: string },
  ): Promise<void> => {
    try {
      await setStatus({ status: 'Thinking…', loading_messages: LOADING });
      const key = `${channel}:${thread_ts}`;
      const history = [...(histories.get(key) ?? []), text];
      const output = await whole(history.join('\n'));
      const streamer = sayStream();
      await streamer.append({ markdown_text: output });
      await streamer.stop({ blocks: [FEEDBACK] });
      histories.set(key, [...history, output]);
    } catch (error) {
      await say({ text: `:warning: Something went wrong! (${String(error)})`, thread_ts });
    }
  };
  app.event('message', async ({ event, say, sayStream, setStatus }) => {
    if (event.subtype !== undefined || event.bot_id) return;
    const { channel, channel_type: kind, thread_ts = event.ts, text = '' } = event;
    if (kind !== 'im' && !(event.thread_ts && histories.has(`${channel}:${thread_ts}`))) return;
    await answer({ say, sayStream, setStatus }, { channel, thread_ts, text });
  });
  app.event('app_mention', async ({ event, say, sayStream, setStatus }) => {
    const text = event.text.replace(/<@[A-Z0-9]+>/g, '').trim();
    const { channel, thread_ts = event.ts } = event;
    if (!text) await say({ text: 'Hey there! How can I help you?', thread_ts });
    else await answer({ say, sayStream, setStatus }, { channel, thread_ts, text });
  });
  app.event('app_home_opened', async ({ client, context }) => {
    const blocks = [{ type: 'header' as const, text: { type: 'plain_text' as const, text: 'Starter Agent' } }];
    await client.views.publish({ user_id: context.userId as string, view: { type: 'home', blocks } });
  });
  app.event('app_context_changed' as 'app_home_opened', async ({ client, event }) => {
    const { entities = [] } = (event as Json)['context'];
    const prompts = entities
      .filter(({ type }: Json) => type === 'slack#/types/channel_id')
      .map(({ value }: Json) => ({ title: 'Summarize channel', message: `Summarize the activity in <#${value}>` }));
    if (prompts.length === 0) return;
    const title = "Based on what you're viewing:";
    await client.assistant.threads.setSuggestedPrompts({ channel_id: event.channel, title, prompts } as never);
  });
}

const running: (() => Promise<unknown>)[] = [];

// docs/reference/chat.md#streams, docs/reference/chat.md#assistant-threads
describe('agents of the vendor’s templates', () => {
  const server = useApp();
  afterAll(() => Promise.all(running.splice(0).map((stop) => stop())));

  /** Starts an app by Socket Mode, with what its model answers and is asked. */
  const begin = async (manifest: object, listen: (app: App, model: Model) => void) => {
    const ws = await server.workspace();
    const admin = await ws.jwtClient({ user: ws.admin });
    const { body: made, status } = await rest(server, 'POST /apps', { token: admin.token, body: { manifest } });
    expect(status, JSON.stringify(made)).toBe(201);
    expect(JSON.stringify(made.warnings)).not.toContain('features');
    const asked: string[] = [];
    const script = { pieces: [] as string[] };
    const errors: unknown[] = [];
    const silent = (): undefined => undefined;
    const app = new App({
      token: made.bot_token,
      appToken: made.app_token,
      socketMode: true,
      logger: {
        debug: silent,
        info: silent,
        warn: silent,
        setLevel: silent,
        setName: silent,
        getLevel: () => LogLevel.ERROR,
        error: (...what: unknown[]) => void errors.push(...what),
      },
      clientOptions: { slackApiUrl: `${server.baseUrl}/api/`, retryConfig: { retries: 0 } },
    });
    listen(app, async function* (input) {
      asked.push(input);
      yield* script.pieces;
    });
    app.action('feedback', async ({ ack, body, client }) => {
      await ack();
      if (body.type !== 'block_actions') return;
      const [pressed] = body.actions;
      if (!pressed || !('value' in pressed)) return;
      await client.chat.postEphemeral({
        channel: body.channel?.id as string,
        user: body.user.id,
        thread_ts: body.message?.['ts'] as string,
        text: pressed.value === 'good-feedback' ? "We're glad you found this useful." : 'Sorry to hear that.',
      });
    });
    await app.start();
    running.push(() => app.stop());
    const person = await ws.jwtClient();
    const act = async (verb: string, body: Json = {}): Promise<Json> => {
      const answer = await rest(server, `POST /act/${verb}`, {
        token: person.token,
        body: { app_id: made.id, wait_ms: 10_000, ...body },
      });
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      return answer.body;
    };
    const say = (place: Json) => act('message', { app_id: undefined, ...place });
    const screen = async (): Promise<Json> => (await rest(server, 'GET /act/screen', { token: person.token })).body;
    const calls = person.call.bind(person);
    return { ws, made, person, act, say, screen, calls, asked, script, errors };
  };

  it('an assistant greets, offers prompts, and streams with a title, a status, tools and feedback', async () => {
    const { made, act, say, screen, asked, script, errors, calls } = await begin(ASSISTANT_MANIFEST, listenAsAssistant);
    const opened = await act('assistant_thread', { context: null });
    const { channel, thread_ts } = opened['result'];
    expect(opened['replies'].messages).toMatchObject([{ text: 'Hi, how can I help?', thread_ts }]);
    await eventually(async () => (await screen())['assistant'][0]?.prompts.length === 2, 'the prompts');
    expect((await screen())['assistant'][0]).toMatchObject({ channel, thread_ts, app_id: made.id, status: '' });
    script.pieces = ['You rolled ', '**seven**', '.', '/roll 3 and 4'];
    const answered = await say({ channel, thread_ts, text: 'Roll two dice.' });
    const [reply] = answered['replies'].messages;
    expect(reply).toMatchObject({
      text: 'You rolled *seven*. Rolled 3 and 4',
      streaming_state: 'completed',
      thread_ts,
      blocks: [{ type: 'rich_text' }, { type: 'task_card', title: 'Rolled 3 and 4', status: 'complete' }, FEEDBACK],
    });
    expect(asked).toEqual(['Assistant: New chat\nAssistant: Hi, how can I help?\nUser: Roll two dice.']);
    expect((await screen())['assistant'][0]).toMatchObject({ status: '', title: 'Roll two dice.' });
    const { messages } = await calls('conversations.history', { channel });
    expect(messages[0]).toMatchObject({ ts: thread_ts, assistant_app_thread: { title: 'Roll two dice.' } });
    const pressed = await act('feedback', { channel, message_ts: reply.ts, value: 'negative', until: 'reply' });
    expect(pressed['replies'].ephemeral).toMatchObject([{ text: 'Sorry to hear that.' }]);
    expect(errors).toEqual([]);
  });

  it('an assistant shows a plan, and keeps what the person looks at with the thread', async () => {
    const { ws, act, say, screen, asked, script, errors, person, calls } = await begin(
      ASSISTANT_MANIFEST,
      listenAsAssistant,
    );
    const plain = await act('assistant_thread', { context: null });
    await eventually(async () => (await screen())['assistant'][0]?.prompts.length === 2, 'the prompts');
    const wondered = await act('prompt', { ...plain['result'], title: '1' });
    expect(wondered['replies'].messages).toMatchObject([
      {
        text: expect.stringMatching(
          /^Hello\.\nI have received the task\. This task appears manageable\.\nThat is good\./,
        ),
        blocks: [
          { type: 'rich_text' },
          {
            type: 'plan',
            title: 'Decided to put on a show',
            tasks: [
              { task_id: '001', status: 'complete', details: { elements: [{ type: 'rich_text_list' }] }, output: {} },
              { task_id: '002', status: 'complete' },
            ],
          },
          { type: 'rich_text' },
        ],
      },
    ]);
    const [{ blocks }] = wondered['replies'].messages;
    expect(blocks[1].tasks[0].details.elements[0].elements).toHaveLength(3);

    const place = await ws.channel({ name: 'deploys' });
    await ws.join(place, person);
    await person.call('chat.postMessage', { channel: place.id, text: 'it is out' });
    const second = await act('assistant_thread', { context: '#deploys' });
    expect(second['replies'].messages).toMatchObject([{ text: 'Hi, how can I help?' }]);
    const { result } = second;
    // the app has edited its greeting by then, to keep the context with it
    await eventually(
      async () => (await screen())['assistant'].some((one: Json) => one['prompts'].length === 1),
      'a prompt',
    );
    script.pieces = ['It is out.'];
    const summed = await say({ channel: result.channel, thread_ts: result.thread_ts, text: SUM_UP });
    expect(summed['replies'].messages).toMatchObject([{ text: 'It is out.' }]);
    expect(asked.at(-1)).toContain(`<@${person.userId}> says: it is out`);
    await act('context', { thread_ts: result.thread_ts, context: '#general', until: 'ack' });
    const kept = async (): Promise<unknown> => {
      const thread = { channel: result.channel, ts: result.thread_ts, include_all_metadata: true };
      const { messages } = await calls('conversations.replies', thread);
      return messages.find(({ text }: Json) => text === 'Hi, how can I help?').metadata.event_payload.channel_id;
    };
    await eventually(async () => (await kept()) === ws.general.id, 'the new context');
    await say({ channel: result.channel, thread_ts: result.thread_ts, text: SUM_UP });
    expect(asked.at(-1)).not.toContain('it is out');
    expect(errors).toEqual([]);
  });

  it('an assistant that is mentioned answers in the thread', async () => {
    const { ws, made, say, script, person, errors } = await begin(ASSISTANT_MANIFEST, listenAsAssistant);
    await ws.join(ws.general, person);
    await ws.join(ws.general, { id: made.bot_user_id as string });
    script.pieces = ['Here ', 'I am.'];
    const answered = await say({ channel: '#general', text: `<@${made.bot_user_id}> where are you?` });
    expect(answered['replies'].messages).toMatchObject([
      { text: 'Here I am.', thread_ts: answered['result'].ts, streaming_state: 'completed' },
    ]);
    expect(errors).toEqual([]);
  });

  it('a starter agent answers direct messages and mentions, goes on in its threads, and knows what is looked at', async () => {
    const { ws, made, act, say, screen, asked, script, person, errors } = await begin(AGENT_MANIFEST, listenAsAgent);
    script.pieces = ['**Done**, ', 'I think.'];
    const { result } = await act('context', { context: '#general', until: 'ack' });
    await eventually(async () => (await screen())['assistant'][0]?.prompts.length === 1, 'a prompt');
    const prompted = await act('prompt', { title: 'Summarize channel' });
    expect(asked).toEqual([`Summarize the activity in <#${ws.general.id}>`]);
    const [reply] = prompted['replies'].messages;
    expect(reply).toMatchObject({
      text: '*Done*, I think.',
      thread_ts: prompted['result'].ts,
      streaming_state: 'completed',
      blocks: [{ type: 'rich_text' }, FEEDBACK],
    });
    const more = await say({ channel: result.channel, thread_ts: prompted['result'].ts, text: 'and then?' });
    expect(more['replies'].messages).toMatchObject([{ text: '*Done*, I think.' }]);
    expect(asked.at(-1)).toContain('**Done**, I think.\nand then?');
    const pressed = await act('feedback', {
      channel: result.channel,
      message_ts: reply.ts,
      value: 'positive',
      until: 'reply',
    });
    expect(pressed['replies'].ephemeral).toMatchObject([{ text: "We're glad you found this useful." }]);
    await act('home', { tab: 'home' });
    expect((await screen())['home'][made.id]).toMatchObject({ type: 'home', blocks: [{ type: 'header' }] });
    await ws.join(ws.general, person);
    await ws.join(ws.general, { id: made.bot_user_id as string });
    const empty = await say({ channel: '#general', text: `<@${made.bot_user_id}>` });
    expect(empty['replies'].messages).toMatchObject([{ text: 'Hey there! How can I help you?' }]);
    const mention = await say({ channel: '#general', text: `<@${made.bot_user_id}> go` });
    expect(mention['replies'].messages).toMatchObject([{ text: '*Done*, I think.', thread_ts: mention['result'].ts }]);
    const again = await say({ channel: '#general', thread_ts: mention['result'].ts, text: 'go on' });
    expect(again['replies'].messages).toMatchObject([{ text: '*Done*, I think.' }]);
    expect(errors).toEqual([]);
  });
});
