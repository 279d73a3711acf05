import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { onPostgres, serverUrl } from '../support/databases.js';
import type { ChatClient } from '../support/chat-client.js';
import { twoReplicas } from '../support/replicas.js';
import emojiUnicodes from '../../src/kernel/text/emoji-unicodes.json' with { type: 'json' };

describe('reactions.add', () => {
  const app = useApp();

  const reactionsOf = async (client: ChatClient, message: { channel: string; ts: string }): Promise<unknown> => {
    const { messages } = await client.call('conversations.history', {
      channel: message.channel,
      latest: message.ts,
      inclusive: true,
      limit: 1,
    });
    return messages[0].reactions;
  };

  it('adds reactions in the order of first use, and sends an event for each', async () => {
    const ws = await app.workspace();
    const [bot, ann] = [await ws.bot(), await ws.userClient()];
    const message = await ws.message({ text: 'ship it' });
    await ws.join({ id: message.channel }, bot, ann);

    expect(await bot.call('reactions.add', { ...message.ref, name: 'tada' })).toEqual({ ok: true });
    await ann.call('reactions.add', { ...message.ref, name: 'thumbsup::skin-tone-3' });
    // ts is an alias of timestamp
    await ann.call('reactions.add', { channel: message.channel, ts: message.ts, name: 'tada' });
    await ann.call('reactions.add', { ...message.ref, name: '+1' });

    expect(await reactionsOf(ann, message)).toEqual([
      { name: 'tada', users: [bot.userId, ann.userId], count: 2 },
      { name: 'thumbsup::skin-tone-3', users: [ann.userId], count: 1 },
      { name: '+1', users: [ann.userId], count: 1 },
    ]);
    const heard = await ws.recorded('reaction_added');
    expect(heard).toHaveLength(4);
    expect(heard[0]).toEqual({
      type: 'reaction_added',
      user: bot.userId,
      reaction: 'tada',
      item_user: message.userId,
      item: { type: 'message', channel: message.channel, ts: message.ts },
      event_ts: expect.any(String),
    });
  });

  it('answers already_reacted the second time, and sends one event', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot({ scopes: ['reactions:write'] });
    const message = await ws.message({ text: 'ship it' });
    await ws.join({ id: message.channel }, bot);

    const answers = await Promise.all(
      [1, 2, 3].map(
        () => bot.call('reactions.add', { ...message.ref, name: 'tada' }) as Promise<{ ok: boolean; error?: string }>,
      ),
    );

    expect(answers.map((answer) => answer.error ?? 'ok').sort()).toEqual(['already_reacted', 'already_reacted', 'ok']);
    expect(await ws.recorded('reaction_added')).toHaveLength(1);
  });

  it('omits item_user for a bot_message', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const { channel, ts } = await bot.call('chat.postMessage', {
      channel: '#general',
      text: 'x',
      username: 'deploybot',
    });
    await bot.call('reactions.add', { channel, timestamp: ts, name: 'eyes' });
    expect((await ws.recorded('reaction_added'))[0]).not.toHaveProperty('item_user');
  });

  it('answers too_many_emoji for the 51st name and too_many_reactions for the 24th of one user', async () => {
    const ws = await app.workspace();
    const message = await ws.message();
    const [a, b, c] = [await ws.jwtClient(), await ws.jwtClient(), await ws.jwtClient()];
    await ws.join({ id: message.channel }, a, b, c);
    const react = (client: ChatClient, place: number) =>
      client.call('reactions.add', { ...message.ref, name: Object.keys(emojiUnicodes)[place] }) as Promise<{
        ok: boolean;
        error?: string;
      }>;

    for (let place = 0; place < 23; place++) {
      expect(await react(a, place)).toEqual({ ok: true });
      expect(await react(b, 23 + place)).toEqual({ ok: true });
    }
    expect(await react(a, 46)).toEqual({ ok: false, error: 'too_many_reactions' });
    expect(await react(a, 0)).toEqual({ ok: false, error: 'already_reacted' });
    for (let place = 46; place < 50; place++) expect(await react(c, place)).toEqual({ ok: true });
    expect(await react(a, 50)).toEqual({ ok: false, error: 'too_many_emoji' });
    expect(await react(c, 50)).toEqual({ ok: false, error: 'too_many_emoji' });
    expect(await react(c, 0)).toEqual({ ok: true });
    expect(await reactionsOf(c, message)).toHaveLength(50);
    expect(await ws.recorded('reaction_added')).toHaveLength(51);
  });

  it('stores every one of many concurrent reactions', async () => {
    const ws = await app.workspace();
    const message = await ws.message();
    const clients = await Promise.all(Array.from({ length: 12 }, () => ws.jwtClient()));
    await ws.join({ id: message.channel }, ...clients);
    await Promise.all(clients.map((client) => client.call('reactions.add', { ...message.ref, name: 'tada' })));
    const [reaction] = (await reactionsOf(clients[0] as ChatClient, message)) as { users: string[]; count: number }[];
    expect(reaction?.count).toBe(12);
    expect([...(reaction?.users ?? [])].sort()).toEqual(clients.map((client) => client.userId).sort());
  });

  it('limits concurrent reactions to 23 of a user and 50 names on a message', async () => {
    const ws = await app.workspace();
    const message = await ws.message();
    const people = await Promise.all([ws.jwtClient(), ws.jwtClient(), ws.jwtClient()]);
    await ws.join({ id: message.channel }, ...people);
    const names = Object.keys(emojiUnicodes);
    const answers = await Promise.all(
      people.flatMap((person, i) =>
        names
          .slice(i * 30, i * 30 + 30)
          .map((name) => person.call('reactions.add', { ...message.ref, name }) as Promise<{ error?: string }>),
      ),
    );
    expect(answers.filter(({ error }) => error === undefined)).toHaveLength(50);
    const stored = (await reactionsOf(people[0] as ChatClient, message)) as { name: string; users: string[] }[];
    expect(stored).toHaveLength(50);
    for (const { userId } of people) {
      expect(stored.filter(({ users }) => users.includes(userId)).length).toBeLessThanOrEqual(23);
    }
    expect(await ws.recorded('reaction_added')).toHaveLength(50);
  });

  it.skipIf(serverUrl === undefined)(
    `stores concurrent additions and removals of two processes on one message${onPostgres}`,
    async () => {
      const [one, two] = await twoReplicas({ SVC_RATE_LIMIT_MULTIPLIER: '0' });
      const ws = await one.workspace();
      const message = await ws.message();
      const people = await Promise.all(Array.from({ length: 8 }, () => ws.jwtClient()));
      await ws.join({ id: message.channel }, ...people);
      const names = Object.keys(emojiUnicodes).slice(0, 12);
      const react = async (method: string, place: number, { token }: ChatClient, name: string): Promise<unknown> => {
        const response = await fetch(`${[one, two][place % 2]?.baseUrl}/api/${method}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ ...message.ref, name }),
        });
        return response.json();
      };
      // every user adds all names and removes every third, concurrently with the others
      const answers = await Promise.all(
        people.flatMap((person, i) =>
          names.map(async (name, j) => {
            const added = await react('reactions.add', i + j, person, name);
            return j % 3 === 0 ? [added, await react('reactions.remove', i + j + 1, person, name)] : [added];
          }),
        ),
      );
      expect(answers.flat().filter((answer) => (answer as { ok: boolean }).ok)).toHaveLength(8 * (12 + 4));
      const kept = names.filter((_, j) => j % 3 !== 0);
      const shown = (await reactionsOf(people[0] as ChatClient, message)) as { name: string; count: number }[];
      expect(shown.map(({ name }) => name).sort()).toEqual([...kept].sort());
      expect(shown.every(({ count }) => count === 8)).toBe(true);
      expect(await ws.recorded('reaction_added')).toHaveLength(96);
      expect(await ws.recorded('reaction_removed')).toHaveLength(32);
    },
    60_000,
  );

  it('answers each error in the documented order', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const message = await ws.message();
    const hidden = await ws.channel({ isPrivate: true });
    const call = (args: object) =>
      bot.call('reactions.add', { ...message.ref, name: 'tada', ...args }) as Promise<object>;
    const refused = (error: string) => ({ ok: false, error });

    expect(await call({ channel: '', name: '' })).toEqual(refused('no_item_specified'));
    expect(await call({ timestamp: null, name: ':x:' })).toEqual(refused('no_item_specified'));
    expect(await call({ name: '', timestamp: 'x' })).toMatchObject(refused('invalid_arguments'));
    for (const name of [':tada:', 'no such emoji', 'x'.repeat(101), 'tada::skin-tone-7']) {
      expect(await call({ name, timestamp: 'x' })).toEqual(refused('invalid_name'));
    }
    expect(await call({ timestamp: 'x', channel: 'C0NOWHERE01' })).toEqual(refused('bad_timestamp'));
    expect(await call({ channel: 'C0NOWHERE01' })).toEqual(refused('channel_not_found'));
    expect(await call({ channel: '#general' })).toEqual(refused('channel_not_found'));
    expect(await call({ channel: hidden.id })).toEqual(refused('channel_not_found'));
    expect(await call({})).toEqual(refused('not_in_channel'));
    await ws.join({ id: message.channel }, bot);
    expect(await call({ timestamp: '1.5' })).toEqual(refused('message_not_found'));
    await ws.archive({ id: message.channel });
    expect(await call({})).toEqual(refused('is_archived'));
    expect(await ws.recorded('reaction_added')).toEqual([]);
  });

  it('does not see messages of another workspace, and requires reactions:write', async () => {
    const [ws, other] = [await app.workspace(), await app.workspace()];
    const bot = await ws.bot();
    const theirs = await other.message({ channel: other.general });
    expect(await bot.call('reactions.add', { ...theirs.ref, name: 'tada' })).toEqual({
      ok: false,
      error: 'channel_not_found',
    });
    const mute = await ws.bot({ scopes: ['reactions:read'] });
    expect(await mute.call('reactions.add', { ...theirs.ref, name: 'tada' })).toMatchObject({
      error: 'missing_scope',
      needed: 'reactions:write',
    });
  });
});
