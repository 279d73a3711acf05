import { test as base, expect } from 'understudy/vitest';
import { start } from '../app.js';

const SCOPES = ['app_mentions:read', 'chat:write', 'commands'];

export const test = base.extend({
  /** The content of each worker's sandbox. */
  seed: [
    {
      users: ['alice'],
      channels: [{ name: 'war-room', members: ['alice', 'deploy-bot'] }],
      apps: [{ name: 'deploy-bot', scopes: { bot: SCOPES } }],
    },
    { scope: 'worker' },
  ],
  /** Starts the app and registers its URLs in the sandbox. */
  bot: [
    async ({ sandbox }, use) => {
      const { url, stop } = await start(sandbox.env('deploy-bot'));
      await sandbox.seed({
        apps: [
          {
            name: 'deploy-bot',
            event_subscriptions: { request_url: url, events: ['app_mention'] },
            interactivity_url: url,
            commands: [{ command: '/deploy', url }],
          },
        ],
      });
      await use({ url });
      await stop();
    },
    { auto: true },
  ],
});
export { expect };
