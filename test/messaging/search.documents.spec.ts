import { describe, expect, it } from 'vitest';
import { WaitingTexts } from '../../src/messaging/search/waiting-texts.js';
import { useApp } from '../support/app.js';
import { bearer, makeSandbox, send, type Answer } from '../support/sandbox-routes.js';

const DOCUMENT = {
  channels: [
    {
      name: 'ops',
      members: ['default-app', 'admin'],
      messages: [
        { as: 'default-app', text: 'quetzal one', ref: 'one' },
        { as: 'default-app', text: 'quetzal two', ref: 'two' },
        { as: 'default-app', text: 'quetzal three', ref: 'three', reactions: { tada: ['admin'] } },
        { as: 'admin', text: 'quetzal reply', thread: 'three' },
      ],
    },
    { name: 'bulk', members: ['admin'], messages: 2_500 },
  ],
};

/** docs/decisions/search-index.md: seeded messages become searchable with the first search */
describe('search.messages over seeded messages', () => {
  const app = useApp();

  async function make() {
    const { ctl, body } = await makeSandbox(app, DOCUMENT);
    const { user_token: person, bot_token: bot, channels, refs } = body.credentials;
    const call = async (token: string, method: string, args: object): Promise<Answer['body']> => {
      const { body: answer } = await send(app, 'POST', `/api/${method}`, bearer(token), args);
      expect(answer.ok, `${method}: ${JSON.stringify(answer)}`).toBe(true);
      return answer;
    };
    return {
      ctl,
      refs,
      act: (method: string, args: object) => call(bot, method, { channel: channels.ops, ...args }),
      find: async (query: string, token = person): Promise<string[]> =>
        (await call(token, 'search.messages', { query, count: 100 })).messages.matches
          .map(({ text }: { text: string }) => text)
          .sort(),
      total: async (query: string): Promise<number> =>
        (await call(person, 'search.messages', { query })).messages.pagination.total_count,
      /** The number of rows that a search reads, and of ranges of messages that have none yet. */
      stored: async (): Promise<[number, number]> => {
        const count = async (table: string): Promise<number> =>
          (
            await app.store.dataSource.query(`SELECT count(*)::int AS n FROM ${table} WHERE workspace_id = $1`, [
              body.team_id,
            ])
          )[0].n;
        return [await count('message_search'), await count('search_backlog')];
      },
    };
  }

  it('finds all of them at once, even with concurrent first searches', async () => {
    const box = await make();
    const [rows, ranges] = await box.stored();
    expect([rows, ranges > 0]).toEqual([0, true]);
    const [found, replies, reacted, all] = await Promise.all([
      box.find('quetzal'),
      box.find('quetzal is:thread'),
      box.find('has::tada:'),
      box.total('in:#bulk'),
    ]);
    expect(found).toEqual(['quetzal one', 'quetzal reply', 'quetzal three', 'quetzal two']);
    expect([replies, reacted, all]).toEqual([['quetzal reply', 'quetzal three'], ['quetzal three'], 2_500]);
    expect(await box.stored()).toEqual([2_504, 0]);
  });

  it('finds their current state: edited, deleted, answered and reacted to', async () => {
    const box = await make();
    await box.act('chat.update', { ts: box.refs.one.ts, text: 'okapi one' });
    await box.act('chat.delete', { ts: box.refs.two.ts });
    await box.act('chat.postMessage', { thread_ts: box.refs.one.ts, text: 'okapi reply' });
    await box.act('reactions.add', { timestamp: box.refs.one.ts, name: 'eyes' });
    await box.act('chat.postMessage', { text: 'quetzal new' });
    expect(await box.find('quetzal')).toEqual(['quetzal new', 'quetzal reply', 'quetzal three']);
    expect(await box.find('okapi is:thread')).toEqual(['okapi one', 'okapi reply']);
    expect(await box.find('has::eyes:')).toEqual(['okapi one']);
    await box.act('chat.update', { ts: box.refs.three.ts, text: 'okapi three' });
    expect(await box.find('okapi')).toEqual(['okapi one', 'okapi reply', 'okapi three']);
  });

  it('finds them after a reset, with a search before it or not', async () => {
    const box = await make();
    await box.act('chat.update', { ts: box.refs.one.ts, text: 'okapi one' });
    await box.act('chat.delete', { ts: box.refs.two.ts });
    expect((await send(app, 'POST', '/api/sandboxes/self/reset', box.ctl, {})).status).toBe(200);
    const seeded = ['quetzal one', 'quetzal reply', 'quetzal three', 'quetzal two'];
    expect([await box.find('quetzal'), await box.find('okapi')]).toEqual([seeded, []]);
    await box.act('chat.delete', { ts: box.refs.one.ts });
    expect((await send(app, 'POST', '/api/sandboxes/self/reset', box.ctl, {})).status).toBe(200);
    expect(await box.find('quetzal')).toEqual(seeded);
  });

  it('finds them in a copy of the snapshot', async () => {
    const box = await make();
    const { id } = (await send(app, 'POST', '/api/sandboxes/self/snapshots', box.ctl, {})).body;
    const copy = await send(app, 'POST', '/api/sandboxes', box.ctl, { from: id });
    expect(copy.status, JSON.stringify(copy.body)).toBe(201);
    expect(await box.find('quetzal', copy.body.credentials.user_token)).toHaveLength(4);
  });

  it('are indexed in the background without a search', async () => {
    const box = await make();
    await app.nest.get(WaitingTexts).index();
    expect(await box.stored()).toEqual([2_504, 0]);
    expect(await box.find('quetzal')).toHaveLength(4);
  });
});
