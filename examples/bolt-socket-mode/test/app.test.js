import { test as base, expect } from 'understudy/vitest';
import { start } from '../app.js';

const manifest = {
  display_information: { name: 'deploy-bot' },
  features: {
    bot_user: { display_name: 'deploy-bot' },
    slash_commands: [{ command: '/deploy', description: 'Deploys' }],
  },
  oauth_config: { scopes: { bot: ['app_mentions:read', 'chat:write', 'commands'] } },
  settings: {
    socket_mode_enabled: true,
    event_subscriptions: { bot_events: ['app_mention'] },
    interactivity: { is_enabled: true },
  },
};

const test = base.extend({
  seed: [
    {
      users: ['alice'],
      channels: [{ name: 'war-room', members: ['alice', 'deploy-bot'] }],
      apps: [{ name: 'deploy-bot', manifest }],
    },
    { scope: 'worker' },
  ],
  bot: [
    async ({ sandbox }, use) => {
      const { stop } = await start(sandbox.env('deploy-bot'));
      await use();
      await stop();
    },
    { auto: true },
  ],
});

test('answers a mention', async ({ sandbox }) => {
  await sandbox.as('alice').post('#war-room', '<@deploy-bot> deploy checkout');
  await expect(sandbox).toHavePosted({ channel: '#war-room', text: /^deploy checkout\?$/ });
});

test('runs its command', async ({ sandbox }) => {
  const { replies } = await sandbox
    .as('alice')
    .command('#war-room', '/deploy', 'prod', { until: 'reply', waitMs: 5_000 });
  expect(replies.messages).toMatchObject([{ text: 'deploying prod' }]);
});

test('answers a click in the thread', async ({ sandbox }) => {
  await sandbox.as('alice').post('#war-room', '<@deploy-bot> deploy checkout');
  const asked = await sandbox.waitForMessage({ text: /\?$/ });
  await sandbox.as('alice').click(asked, 'approve');
  await expect(sandbox).toHavePosted({ thread_ts: asked.ts, text: /^approved by/ });
});
