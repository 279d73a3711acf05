import { WebClient } from '@slack/web-api';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureBuilt, ServerProcess } from '../support/server-process.js';

const contract = JSON.parse(readFileSync(new URL('../contract/fixtures/messaging.json', import.meta.url), 'utf8')) as {
  methods: Record<string, unknown>;
};

describe('the compiled build, through the official client', { timeout: 120_000 }, () => {
  const env = {
    SVC_DATA_DIR: 'memory',
    SVC_DEFAULT_BOT_TOKEN: `xoxb-000000000000-${'w'.repeat(24)}`,
    SVC_DEFAULT_USER_TOKEN: `xoxp-000000000000-${'w'.repeat(24)}`,
  };
  let server: ServerProcess;
  beforeAll(async () => {
    ensureBuilt();
    server = await ServerProcess.start(env);
  }, 300_000);
  afterAll(() => server.kill('SIGTERM'));

  it('answers every method', async () => {
    const client = new WebClient(env.SVC_DEFAULT_BOT_TOKEN, {
      slackApiUrl: `${server.baseUrl}/api/`,
      retryConfig: { retries: 0 },
    });
    const called = new Set<string>();
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the answers of 27 methods
    const call = async (method: string, args: Record<string, unknown> = {}): Promise<any> => {
      called.add(method);
      const answer = await client.apiCall(method, args);
      expect(answer.ok, method).toBe(true);
      return answer;
    };

    const me = await call('auth.test');
    const { members } = await call('users.list');
    const admin = (members as { id: string; name: string }[]).find((user) => user.name === 'admin') as { id: string };
    await call('users.info', { user: admin.id });
    await call('users.profile.set', { profile: { status_text: 'walking' } });
    expect((await call('users.profile.get', { user: me.user_id })).profile.status_text).toBe('walking');
    await call('users.setPresence', { presence: 'away' });

    const { channel } = await call('conversations.create', { name: 'walk' });
    const id = channel.id as string;
    await call('conversations.invite', { channel: id, users: admin.id });
    expect((await call('conversations.members', { channel: id })).members.sort()).toEqual(
      [admin.id, me.user_id].sort(),
    );
    await call('conversations.setTopic', { channel: id, topic: 'the way' });
    await call('conversations.setPurpose', { channel: id, purpose: 'to walk' });
    await call('conversations.rename', { channel: id, name: 'walked' });
    expect((await call('conversations.info', { channel: id })).channel).toMatchObject({
      name: 'walked',
      topic: { value: 'the way' },
    });
    expect((await call('conversations.list')).channels).toEqual(
      expect.arrayContaining([expect.objectContaining({ id })]),
    );

    const posted = await call('chat.postMessage', { channel: id, text: 'a first step' });
    const reply = await call('chat.postMessage', { channel: id, text: 'a second', thread_ts: posted.ts });
    await call('chat.update', { channel: id, ts: posted.ts, text: 'a first stride' });
    await call('reactions.add', { channel: id, timestamp: posted.ts, name: 'tada' });
    expect((await call('conversations.history', { channel: id })).messages[0]).toMatchObject({
      text: 'a first stride',
      reactions: [{ name: 'tada', count: 1 }],
      reply_count: 1,
    });
    expect((await call('conversations.replies', { channel: id, ts: posted.ts })).messages).toHaveLength(2);
    await call('reactions.remove', { channel: id, timestamp: posted.ts, name: 'tada' });
    expect((await call('search.messages', { query: 'stride' })).messages.total).toBe(1);
    await call('chat.delete', { channel: id, ts: reply.ts });

    await call('conversations.open', { users: admin.id });
    await call('conversations.kick', { channel: id, user: admin.id });
    await call('conversations.leave', { channel: id });
    await call('conversations.join', { channel: id });
    await call('conversations.archive', { channel: id });

    expect([...called].sort()).toEqual(Object.keys(contract.methods).sort());
  });
});
