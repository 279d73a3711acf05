import { test as base, expect } from 'understudy/vitest';
import { start, type Model } from '../agent.js';

const manifest = {
  display_information: { name: 'helper' },
  features: {
    bot_user: { display_name: 'helper' },
    app_home: { messages_tab_enabled: true },
    agent_view: {
      agent_description: 'Answers questions',
      suggested_prompts: [{ title: 'Sum up', message: 'Sum up the week' }],
    },
  },
  oauth_config: { scopes: { bot: ['assistant:write', 'chat:write', 'im:history'] } },
  settings: {
    socket_mode_enabled: true,
    event_subscriptions: { bot_events: ['message.im'] },
    interactivity: { is_enabled: true },
  },
};

/** A model that says what the test tells it to, without a network. */
class ScriptedModel implements Model {
  readonly asked: string[] = [];
  pieces: readonly string[] = [];

  async *answer(question: string): AsyncIterable<string> {
    this.asked.push(question);
    yield* this.pieces;
  }
}

const test = base.extend<{ model: ScriptedModel }>({
  seed: [{ methods: 'all', users: ['alice'], apps: [{ name: 'helper', manifest }] }, { scope: 'worker' }],
  model: [
    async ({ sandbox }, use) => {
      const model = new ScriptedModel();
      const { stop } = await start(sandbox.env('helper'), model);
      await use(model);
      await stop();
    },
    { auto: true },
  ],
});

const WAIT = { waitMs: 10_000 };

test('streams the answer of the model into the thread', async ({ sandbox, model }) => {
  model.pieces = ['The deploy is ', '**done**', ', since noon.'];
  const asked = await sandbox.as('alice').openDm('helper', 'Is it out?', WAIT);
  expect(model.asked).toEqual(['Is it out?']);
  expect(asked.replies.messages).toMatchObject([
    { text: 'The deploy is *done*, since noon.', thread_ts: asked.ts, streaming_state: 'completed' },
  ]);
  await expect(sandbox).toHaveCalled('assistant.threads.setStatus', { where: { ok: true } });
});

test('thanks for feedback, good or bad', async ({ sandbox, model }) => {
  model.pieces = ['Perhaps.'];
  const alice = sandbox.as('alice');
  const { replies } = await alice.openDm('helper', 'Will it rain?', WAIT);
  const pressed = await alice.feedback(replies.messages[0], 'negative', { until: 'reply', ...WAIT });
  expect(pressed.replies.ephemeral).toMatchObject([{ text: 'Thank you. I will do better.' }]);
});

test('offers its prompts', async ({ sandbox, model }) => {
  model.pieces = ['It was short.'];
  const { replies } = await sandbox.as('alice').prompt('helper', 'Sum up', WAIT);
  expect(model.asked).toEqual(['Sum up the week']);
  expect(replies.messages).toMatchObject([{ text: 'It was short.' }]);
});

test('says so when its stream expired in silence', async ({ sandbox, model }) => {
  await sandbox.fault('chat.appendStream', { type: 'expire_stream' });
  model.pieces = ['One, ', 'two, ', 'three.'];
  await sandbox.as('alice').openDm('helper', 'Count', WAIT);
  await expect(sandbox).toHavePosted({ text: 'I was cut short: message_not_in_streaming_state.' });
});
