import { LinearClient } from '@linear/sdk';
import { test as base, expect } from 'understudy/vitest';
import { register, start } from '../sync.js';

const test = base.extend({
  seed: [
    {
      users: [{ name: 'alice', is_admin: true }],
      channels: [{ name: 'incidents', members: ['alice', 'sync-bot'] }],
      apps: [{ name: 'sync-bot', scopes: { bot: ['channels:read', 'chat:write'] } }],
      tracker: { teams: [{ key: 'ENG', name: 'Engineering' }] },
    },
    { scope: 'worker' },
  ],
  linear: async ({ sandbox }, use) => {
    const { LINEAR_API_URL, LINEAR_API_KEY } = sandbox.env();
    await use(new LinearClient({ apiUrl: LINEAR_API_URL, apiKey: LINEAR_API_KEY }));
  },
  sync: [
    async ({ sandbox }, use) => {
      const { stop } = await start(sandbox.env('sync-bot'), register);
      await use();
      await stop();
    },
    { auto: true },
  ],
});

const teamId = (sandbox) => sandbox.credentials.teams.ENG.id;

test('an urgent issue becomes a message, and learns where', async ({ sandbox, linear }) => {
  const made = await linear.createIssue({ teamId: teamId(sandbox), title: 'Checkout is down', priority: 1 });
  const { identifier, id } = await made.issue;
  await expect(sandbox).toHavePosted({ channel: '#incidents', text: `${identifier}: Checkout is down` });
  await sandbox.waitForEvent('comment.created');
  const { nodes } = await (await linear.issue(id)).comments();
  expect(nodes.map(({ body }) => body)).toEqual([expect.stringMatching(/^Told #incidents at \d+\.\d+$/)]);
});

test('any other issue does not', async ({ sandbox, linear }) => {
  await linear.createIssue({ teamId: teamId(sandbox), title: 'A typo', priority: 4 });
  await sandbox.waitFor({ for: 'delivery', where: { response: { status: 200 } } });
  await sandbox.waitForIdle();
  await expect(sandbox).not.toHavePosted();
});
