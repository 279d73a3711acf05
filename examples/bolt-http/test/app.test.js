import { expect, test } from './fixtures.js';

const mention = (sandbox, what) => sandbox.as('alice').post('#war-room', `<@deploy-bot> deploy ${what}`);

test('answers a mention', async ({ sandbox }) => {
  await mention(sandbox, 'checkout');
  const asked = await sandbox.waitForMessage({ channel: '#war-room', text: /^deploy checkout\?$/ });
  expect(asked.blocks).toMatchObject([{ elements: [{ action_id: 'approve' }] }]);
});

test('runs its command', async ({ sandbox }) => {
  const { replies } = await sandbox
    .as('alice')
    .command('#war-room', '/deploy', 'prod', { until: 'reply', waitMs: 5_000 });
  expect(replies.messages).toMatchObject([{ text: 'deploying prod' }]);
});

test('answers a click in the thread', async ({ sandbox }) => {
  await mention(sandbox, 'checkout');
  const asked = await sandbox.waitForMessage({ text: /\?$/ });
  await sandbox.as('alice').click(asked, 'approve');
  const alice = sandbox.credentials.users.alice.user_id;
  await expect(sandbox).toHavePosted({ thread_ts: asked.ts, text: `approved by <@${alice}>` });
});

test('posts again after one 429', async ({ sandbox }) => {
  const fault = await sandbox.fault('chat.postMessage', { type: 'ratelimited', retryAfter: 1 });
  await mention(sandbox, 'checkout');
  await sandbox.waitForMessage({ text: /^deploy checkout\?$/ });
  expect(await fault.fired()).toBe(1);
  await expect(sandbox).toHaveCalled('chat.postMessage', { where: { ok: false, error: 'ratelimited' } });
});

test('answers an event that only the retry brought', async ({ sandbox }) => {
  // the request is not sent; the attempt counts as answered with this status
  await sandbox.deliveries.rule({ event: 'app_mention' }, { type: 'answer', status: 503 }, { times: 1 });
  await mention(sandbox, 'checkout');
  await sandbox.waitFor({ for: 'delivery', where: { event: 'app_mention', attempt: 1 } });
  await sandbox.deliveries.flush(); // the retry, now
  await expect(sandbox).toHavePosted({ text: /^deploy checkout\?$/ });
});

test('answers an event that comes twice once', async ({ sandbox }) => {
  await sandbox.deliveries.rule({ event: 'app_mention' }, { type: 'duplicate', copies: 2 });
  await mention(sandbox, 'checkout');
  await sandbox.waitForMessage({ text: /^deploy checkout\?$/ });
  await sandbox.expectQuiet('message', { forMs: 300 });
  await sandbox.assert({ expect: [{ added: 'message', where: { text: 'deploy checkout?' }, count: 1 }] });
});

test('begins each test as if nothing had been', async ({ sandbox }) => {
  expect((await sandbox.changes()).added.message ?? []).toEqual([]);
  await mention(sandbox, 'checkout');
  await sandbox.waitForMessage({ text: /\?$/ });
  await sandbox.reset();
  expect((await sandbox.changes()).added.message ?? []).toEqual([]);
});

test('does nothing else', async ({ sandbox }) => {
  await mention(sandbox, 'checkout');
  await sandbox.waitForMessage({ text: /\?$/ });
  await sandbox.assert({
    expect: [
      { added: 'message', where: { channel: '#war-room', text: { $contains: 'deploy checkout' } }, count: 2 },
      { called: 'chat.postMessage', count: 1 },
    ],
    nothingElse: ['message', 'reaction', 'channel', 'member'],
  });
});
