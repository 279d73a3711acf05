import type { App } from '@slack/bolt';
import { expect } from 'vitest';
import type { Journal, SampleApp } from './sample-app.js';
import type { Team } from './team.js';

/** An incident gets a channel with a topic and a pinned summary, which collects messages; a check mark resolves it. */
export const incidentBot: SampleApp = {
  name: 'incidents',
  scopes: [
    'chat:write',
    'commands',
    'channels:manage',
    'channels:history',
    'channels:read',
    'pins:write',
    'pins:read',
    'reactions:write',
    'reactions:read',
  ],
  events: ['message.channels', 'reaction_added', 'pin_added'],
  commands: ['/incident'],
  channels: ['incidents'],

  listen(app: App, journal: Journal): void {
    /** The ts of the summary in each incident's channel. */
    const summaries = new Map<string, string>();

    app.command('/incident', async ({ ack, body, client, respond }) => {
      await ack();
      const { channel } = await client.conversations.create({ name: `inc-${body.text.replaceAll(' ', '-')}` });
      const id = channel?.id as string;
      await client.conversations.setTopic({ channel: id, topic: `Open: ${body.text}` });
      await client.conversations.setPurpose({ channel: id, purpose: 'To end this quickly' });
      await client.conversations.invite({ channel: id, users: body.user_id });
      const { ts } = await client.chat.postMessage({ channel: id, text: `*${body.text}* by <@${body.user_id}>` });
      await client.pins.add({ channel: id, timestamp: ts as string });
      summaries.set(id, ts as string);
      await respond({ response_type: 'in_channel', text: `<#${id}> is open` });
    });

    app.message(async ({ message, client }) => {
      if (message.subtype !== undefined || !summaries.has(message.channel)) return;
      journal.acted.push(message.ts);
      await client.reactions
        .add({ channel: message.channel, timestamp: message.ts, name: 'eyes' })
        .catch((error: { data?: { error?: string } }) => {
          // the first call had taken effect, but its answer was lost
          if (error.data?.error !== 'already_reacted') throw error;
        });
      if (message.text === 'status?') {
        const { items } = (await client.pins.list({ channel: message.channel })) as { items?: object[] };
        const text = `${items?.length} pinned`;
        await client.chat.postMessage({ channel: message.channel, thread_ts: message.ts, text });
      }
    });

    app.event('reaction_added', async ({ event, client }) => {
      const { item } = event;
      if (event.reaction !== 'white_check_mark' || item.type !== 'message') return;
      if (summaries.get(item.channel) !== item.ts) return;
      await client.conversations.setTopic({ channel: item.channel, topic: 'Resolved' });
      await client.conversations.archive({ channel: item.channel });
    });
  },

  async story(team: Team, journal: Journal, middle: () => Promise<void>): Promise<void> {
    const channel = team.channels['incidents'] as string;
    const declared = await team.act('ann', 'command', {
      channel,
      command: '/incident',
      text: 'db down',
      until: 'reply',
    });
    const [, incident] = /<#(C\w+)>/.exec(declared['replies'].messages[0].text) as unknown as [string, string];
    const info = async () => (await team.call('conversations.info', { channel: incident }))['channel'];
    expect(await info()).toMatchObject({ name: 'inc-db-down', topic: { value: 'Open: db down' } });
    const { items } = await team.call('pins.list', { channel: incident });
    expect(items).toMatchObject([{ message: { text: `*db down* by <@${team.people.ann.id}>` } }]);

    // the app works for a while, and then a server is killed
    await team.act('bob', 'join', { channel: incident, until: 'none' });
    const before = Array.from({ length: 10 }, (_, n) => team.say('ann', incident, `tried ${n}`));
    await Promise.all(before);
    const meanwhile = Array.from({ length: 10 }, (_, n) => team.say('bob', incident, `seen ${n}`));
    await middle();
    const written = await Promise.all([...before, ...meanwhile]);
    await team.expectActed(journal, written);
    await expect
      .poll(
        async () =>
          (await team.call('conversations.history', { channel: incident, limit: 100 }))['messages'].filter(
            (message: { reactions?: object[] }) => message.reactions,
          ).length,
        { timeout: 15_000 },
      )
      .toBe(written.length);

    const asked = await team.say('ann', incident, 'status?');
    const answers = async (): Promise<{ text: string }[]> =>
      (await team.call('conversations.replies', { channel: incident, ts: asked }))['messages'].slice(1);
    await expect.poll(async () => (await answers()).map(({ text }) => text), { timeout: 15_000 }).toEqual(['1 pinned']);
    await team.act('bob', 'react', {
      channel: incident,
      ts: items[0].message.ts,
      name: 'white_check_mark',
      until: 'none',
    });
    await expect.poll(async () => (await info()).is_archived, { timeout: 15_000 }).toBe(true);
    expect((await info()).topic.value).toBe('Resolved');
  },
};
