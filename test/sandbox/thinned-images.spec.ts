import { describe, expect, it } from 'vitest';
import { Sandbox } from '../../src/kernel/sandbox/sandbox.entity.js';
import { ImageThinning } from '../../src/sandbox/snapshots/image-thinning.js';
import { useApp } from '../support/app.js';
import { changeRows } from '../support/rows.js';
import { bearer, makeSandbox, send, type Answer } from '../support/sandbox-routes.js';

const DOCUMENT = {
  channels: [
    {
      name: 'ops',
      members: ['default-app'],
      messages: [1, 2, 3, 4].map((n) => ({ as: 'default-app', text: `seeded ${n}` })),
    },
  ],
  tracker: { teams: [{ key: 'ENG', issues: [{ title: 'First' }, { title: 'Second' }] }] },
};

// docs/reference/sandboxes.md#snapshots
describe('Images of rows', () => {
  const app = useApp();

  /** Creates a sandbox and the operations that the tests use on it. */
  async function begin() {
    const { ctl, body } = await makeSandbox(app, DOCUMENT);
    const { bot_token: token, api_key: key, channels } = body.credentials;
    const own = async (method: string, path: string, sent?: object): Promise<Answer['body']> => {
      const answer = await send(app, method, `/api/sandboxes/self${path}`, ctl, sent);
      expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
      return answer.body;
    };
    const call = async (method: string, args: object): Promise<Answer['body']> => {
      const answer = await send(app, 'POST', `/api/${method}`, bearer(token), { channel: channels.ops, ...args });
      expect(answer.body.ok, `${method}: ${JSON.stringify(answer.body)}`).toBe(true);
      return answer.body;
    };
    const ask = async (query: string): Promise<Answer['body']> => {
      const answer = await send(app, 'POST', '/graphql', { authorization: key }, { query });
      expect(answer.body.errors, query).toBeUndefined();
      return answer.body.data;
    };
    const rows = async (sql: string): Promise<unknown[]> =>
      app.store.dataSource.query(sql, [(await own('GET', '')).id as string]);
    const all = `FROM %t r WHERE r.conversation_id IN (
      SELECT c.id FROM sandboxes s JOIN workspaces w ON w.tenant_id = s.tenant_id JOIN conversations c ON c.workspace_id = w.id WHERE s.id = $1)`;
    return {
      unlimited: () => own('PATCH', '', { rate_limit_multiplier: 0 }),
      take: (name: string) => own('POST', '/snapshots', { name }),
      drop: (name: string) => own('DELETE', `/snapshots/${name}`),
      reset: (to: string) => own('POST', '/reset', { to }),
      post: async (text: string): Promise<string> => (await call('chat.postMessage', { text })).ts,
      call,
      ask,
      messages: async (): Promise<{ ts: string; text: string }[]> =>
        (await call('conversations.history', { limit: 200 })).messages,
      issues: async (): Promise<{ id: string; title: string }[]> =>
        (await ask('{ issues { nodes { id title } } }')).issues.nodes,
      team: body.credentials.teams.ENG.id as string,
      tenantId: ((await rows('SELECT tenant_id FROM sandboxes WHERE id = $1'))[0] as { tenant_id: number }).tenant_id,
      /** The number of stored images. */
      images: async (): Promise<number> =>
        (await rows('SELECT u.epoch FROM sandbox_undo u JOIN sandboxes s ON s.tenant_id = u.tenant_id WHERE s.id = $1'))
          .length,
      /** The complete state as stored. */
      state: async (): Promise<unknown> => ({
        messages: await rows(`SELECT to_jsonb(r) AS row ${all.replace('%t', 'messages')} ORDER BY conversation_id, ts`),
        reactions: await rows(`SELECT to_jsonb(r) AS row ${all.replace('%t', 'reactions')} ORDER BY ts, name, user_id`),
        pins: await rows(`SELECT to_jsonb(r) AS row ${all.replace('%t', 'pins')} ORDER BY ts`),
        document: await own('GET', '/seed?ids=true'),
      }),
    };
  }

  it('do not accumulate when each round replaces the same snapshot', async () => {
    const box = await begin();
    const round = async (): Promise<void> => {
      await box.take('work');
      const ts = await box.post('one of a round');
      await box.call('reactions.add', { timestamp: ts, name: 'tada' });
      await box.call('chat.update', { ts, text: 'another' });
      await box.ask(`mutation { issueCreate(input: { teamId: "${box.team}", title: "of a round" }) { success } }`);
      await box.reset('baseline');
    };
    for (let i = 0; i < 3; i++) await round();
    const kept = await box.images();
    for (let i = 0; i < 6; i++) await round();
    expect(await box.images()).toBeLessThanOrEqual(kept);
  });

  it('do not accumulate when a snapshot is kept and each round resets to the baseline', async () => {
    const box = await begin();
    await box.take('kept');
    const round = async (): Promise<void> => {
      const ts = await box.post('one of a round');
      await box.call('reactions.add', { timestamp: ts, name: 'tada' });
      await box.call('chat.delete', { ts });
      await box.post('two of a round');
      await box.reset('baseline');
    };
    for (let i = 0; i < 3; i++) await round();
    const kept = await box.images();
    for (let i = 0; i < 6; i++) await round();
    expect(await box.images()).toBeLessThanOrEqual(kept);
  });

  it('are deleted with the last snapshot that needs them', async () => {
    const box = await begin();
    for (const name of ['one', 'two', 'three']) {
      await box.post(name);
      await box.take(name);
    }
    const gone = await box.post('there and gone');
    await box.call('chat.delete', { ts: gone });
    await box.reset('baseline');
    for (const name of ['two', 'three', 'one']) await box.drop(name);
    await box.reset('baseline');
    expect(await box.images()).toBe(0);
  });

  it('restore every remaining state exactly', async () => {
    const box = await begin();
    const states = new Map<string, unknown>([['baseline', await box.state()]]);
    const keep = async (name: string): Promise<void> => {
      await box.take(name);
      states.set(name, await box.state());
    };
    const [newest, , , oldest] = await box.messages();
    const [first] = await box.issues();
    const on = (timestamp = ''): object => ({ timestamp, name: 'tada' });

    // rows that are created, changed and deleted
    const one = await box.post('one');
    await box.call('reactions.add', on(one));
    await box.call('chat.delete', { ts: oldest?.ts });
    await box.call('reactions.add', on(newest?.ts));
    await box.call('chat.update', { ts: one, text: 'one, changed' });
    await keep('a');
    // a row that was deleted is created again, and deleted again
    await box.call('reactions.remove', on(newest?.ts));
    await box.call('pins.add', { timestamp: one });
    await box.ask(`mutation { issueUpdate(id: "${first?.id}", input: { title: "Changed" }) { success } }`);
    const two = await box.post('two');
    await keep('b');
    await box.call('reactions.add', on(newest?.ts));
    await box.call('chat.delete', { ts: one });
    await box.call('chat.update', { ts: two, text: 'two, changed' });
    await keep('c');
    await box.call('reactions.remove', on(newest?.ts));
    await box.call('chat.delete', { ts: two });
    await keep('d');

    const compare = async (...names: string[]): Promise<void> => {
      for (const name of names) {
        await box.reset(name);
        expect(await box.state(), name).toEqual(states.get(name));
      }
    };
    await compare('baseline', 'a', 'd', 'b', 'baseline', 'c', 'a');
    await box.drop('b');
    await compare('c', 'baseline', 'd', 'a');
    // a new state on top of an older one, under a name used before
    await box.reset('a');
    await box.post('three');
    await keep('c');
    await compare('baseline', 'd', 'c', 'a', 'c', 'baseline');
    await box.drop('a');
    await compare('d', 'c', 'baseline', 'c', 'd');
    await box.drop('c');
    await compare('baseline', 'd', 'baseline');
  });

  it('do not accumulate in a sandbox that is never reset, where rows are created and deleted', async () => {
    const box = await begin();
    await box.unlimited();
    const before = await box.state();
    const round = async (): Promise<void> => {
      const ts = await box.post('one of a round');
      await box.call('reactions.add', { timestamp: ts, name: 'tada' });
      await box.call('pins.add', { timestamp: ts });
      await box.call('chat.delete', { ts });
    };
    // set now what a background task would write some seconds later
    await changeRows(app.store, Sandbox, { tenantId: box.tenantId }, { lastCallAt: new Date() });
    const kept: number[] = [];
    for (let turn = 0; turn < 3; turn++) {
      for (let i = 0; i < 4; i++) await round();
      const grown = await box.images();
      await app.nest.get(ImageThinning).sweep(1);
      kept.push(await box.images());
      expect(kept[turn]).toBeLessThan(grown);
    }
    expect(kept[2]).toBe(kept[0]);
    await box.reset('baseline');
    expect(await box.state()).toEqual(before);
  });
});
