import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { unique } from '../support/unique.js';
import { bearer, makeSandbox, send, type Answer } from '../support/sandbox-routes.js';

const ALICE = { name: 'alice', is_admin: true, user_token: `xoxp-${crypto.randomUUID()}` };
const DOCUMENT = {
  channels: [{ name: 'ops', members: ['alice', 'default-app'], messages: [{ as: 'alice', text: 'hello' }] }],
  apps: [{ name: 'deploy', scopes: { bot: ['chat:write', 'incoming-webhook'] } }],
  incoming_webhooks: [{ app: 'deploy', channel: 'ops', ref: 'hook' }],
};

type Message = { ts: string; text: string } & Record<string, unknown>;

/**
 * A process remembers pages (docs/decisions/remembered-callers.md). Each step reads one until it is remembered, changes
 * something that it shows, and reads it again, beside a page of another limit, which nobody has read before.
 */
describe('The next page shows', () => {
  const app = useApp();
  let limit = 100;

  async function sandbox() {
    const user_token = `xoxp-${crypto.randomUUID()}`;
    const { ctl, body } = await makeSandbox(app, { ...DOCUMENT, users: [{ ...ALICE, user_token }] });
    const [bot, alice] = [bearer(body.credentials.bot_token), bearer(user_token)];
    const channel = body.credentials.channels.ops as string;
    const call = async (method: string, args: object = {}, as = bot): Promise<Answer['body']> => {
      const answer = await send(app, 'POST', `/api/${method}`, as, args);
      expect(answer.body, method).toMatchObject({ ok: true });
      return answer.body;
    };
    const control = async (method: string, path: string, sent?: object): Promise<void> => {
      const answer = await send(app, method, `/api/sandboxes/self${path}`, ctl, sent);
      expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    };
    const page = async (of: number): Promise<Message[]> =>
      (await call('conversations.history', { channel, limit: of })).messages;
    const users = async (of: number): Promise<object[]> => (await call('users.list', { limit: of })).members;
    /** What both pages show after the change, which is not what they showed before. */
    async function changed<T>(read: (of: number) => Promise<T>, change: () => Promise<unknown>): Promise<T> {
      const before = [await read(100), await read(100)];
      expect(before[0]).toEqual(before[1]);
      await change();
      const after = await read(100);
      expect(after).not.toEqual(before[0]);
      expect(after).toEqual(await read((limit += 1)));
      return after;
    }
    const newest = async (): Promise<Message> => (await page(100))[0] as Message;
    const hook = body.credentials.refs.hook.url as string;
    return { alice, call, channel, changed, control, hook, newest, page, users };
  }

  it('what was written into its channel', async () => {
    const { alice, call, channel, changed, hook, newest, page } = await sandbox();
    const history = (change: () => Promise<unknown>) => changed(page, change);
    await history(() => call('chat.postMessage', { channel, text: 'by the bot' }));
    await history(() => call('chat.postMessage', { channel, text: 'by alice' }, alice));
    await history(() => call('chat.meMessage', { channel, text: 'waves' }, alice));
    await history(() => send(app, 'POST', new URL(hook).pathname, {}, { text: 'by a webhook' }));
    await history(() => call('conversations.setTopic', { channel, topic: 'lunch' }));

    const { ts } = await call('chat.postMessage', { channel, text: 'first' });
    const about = { channel, timestamp: ts };
    await history(() => call('reactions.add', { ...about, name: 'tada' }, alice));
    await history(() => call('reactions.remove', { ...about, name: 'tada' }, alice));
    await history(() => call('pins.add', about));
    await history(() => call('chat.postMessage', { channel, thread_ts: ts, text: 'a reply' }));
    await history(() => call('chat.postMessage', { channel, thread_ts: ts, text: 'for all', reply_broadcast: true }));
    await history(() => call('chat.update', { channel, ts, text: 'second' }));
    await history(() => call('chat.delete', { channel, ts: ts as string }));
    await history(async () => call('chat.delete', { channel, ts: (await newest()).ts }, alice));
  });

  it('what is said when it is time for it', async () => {
    const { call, channel, changed, control, newest, page } = await sandbox();
    await control('PUT', '/clock', { now: '2031-05-06T07:08:09Z', frozen: true });
    const post_at = Date.parse('2031-05-06T08:00:00Z') / 1000;
    await call('chat.scheduleMessage', { channel, text: 'later', post_at });
    await changed(page, () => control('POST', '/clock/advance', { seconds: 3600 }));
    expect((await newest()).text).toBe('later');
  });

  it('what seeds, resets and snapshots made of it', async () => {
    const { alice, call, channel, changed, control, page, users } = await sandbox();
    for (const read of [page, users]) {
      await changed<unknown>(read, () =>
        control('POST', '/seed', {
          users: [{ name: unique('carol') }],
          channels: [{ name: 'ops', messages: [{ as: 'alice', text: unique('seeded') }] }],
        }),
      );
    }
    await control('POST', '/snapshots', { name: 'here' });
    await call('chat.postMessage', { channel, text: 'gone soon' });
    await call('users.profile.set', { profile: { title: 'CTO' } }, alice);
    for (const read of [page, users]) {
      await changed<unknown>(read, async () => {
        await control('POST', '/reset', { to: 'here' });
        if (read === page) await call('users.profile.set', { profile: { title: 'CFO' } }, alice);
      });
    }
  });

  it('who its users are', async () => {
    const { alice, call, changed, control, users } = await sandbox();
    await changed(users, () => call('users.profile.set', { profile: { display_name: 'Al' } }, alice));
    await changed(users, () => call('users.setPresence', { presence: 'away' }, alice));
    await changed(users, () => control('POST', '/seed', { users: [{ name: 'carol' }] }));
    await changed(users, () =>
      control('POST', '/seed', { apps: [{ name: 'helper', scopes: { bot: ['chat:write'] } }] }),
    );
  });

  it('the address of a user of two workspaces, wherever it was changed', async () => {
    const [here, there] = [await app.workspace(), await app.workspace()];
    const visitor = await here.jwtClient();
    const joined = await send(app, 'POST', `/api/workspaces/${there.id}/join`, bearer(visitor.token), {});
    expect(joined.status, JSON.stringify(joined.body)).toBe(200);
    // made before, as tests write for nobody knows whom
    const [admin, changing] = [await there.adminClient(), await here.adminClient()];
    const address = async (): Promise<string> =>
      (await admin.call('users.list')).members.find(({ id }: { id: string }) => id === visitor.userId).profile.email;
    const before = [await address(), await address()];
    expect(before[0]).toBe(before[1]);
    const email = `${unique('new')}@example.org`;
    expect(await changing.call('users.profile.set', { user: visitor.userId, profile: { email } })).toMatchObject({
      ok: true,
    });
    expect(await address()).toBe(email);
  });
});
