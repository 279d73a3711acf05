import type { App } from '@slack/bolt';
import { expect } from 'vitest';
import { label, mrkdwn, type Journal, type SampleApp } from './sample-app.js';
import type { Team } from './team.js';

/** Its home shows the participants; it asks each one at their time, collects the answers and posts a summary. */
export const standupBot: SampleApp = {
  name: 'stand-up',
  scopes: [
    'chat:write',
    'commands',
    'channels:read',
    'channels:history',
    'im:write',
    'im:history',
    'im:read',
    'users:read',
    'users:read.email',
    'team:read',
  ],
  events: ['app_home_opened', 'message.im'],
  commands: ['/standup'],
  channels: ['standup'],

  listen(app: App, journal: Journal): void {
    const people = new Map<string, string>();
    const notes: string[] = [];

    app.command('/standup', async ({ ack, body, client, respond }) => {
      await ack();
      for (const email of body.text.split(' ')) {
        const { user } = await client.users.lookupByEmail({ email });
        people.set(user?.id as string, user?.name as string);
      }
      const { members } = await client.conversations.members({ channel: body.channel_id });
      for (const user of people.keys()) {
        if (!members?.includes(user)) continue;
        const { channel } = await client.conversations.open({ users: user });
        // soon, but late enough for a slow machine to schedule the message and list it
        const post_at = Math.floor(Date.now() / 1000) + 4;
        await client.chat.scheduleMessage({ channel: channel?.id as string, post_at, text: 'What did you do?' });
      }
      const { scheduled_messages: planned } = await client.chat.scheduledMessages.list();
      await respond(`${planned?.length} will be asked`);
    });

    app.event('app_home_opened', async ({ event, client }) => {
      const { team } = await client.team.info();
      const { channels } = await client.users.conversations({ types: 'public_channel' });
      const who = [...people.values()].sort().join(', ') || 'nobody';
      const where = channels?.map(({ name }) => `#${name}`).join(' ');
      const summary = { type: 'button' as const, action_id: 'sum-up', text: label('Sum up') };
      await client.views.publish({
        user_id: event.user,
        view: {
          type: 'home',
          blocks: [mrkdwn(`${team?.name} in ${where}: ${who}`), { type: 'actions', elements: [summary] }],
        },
      });
    });

    app.message(async ({ message }) => {
      if (message.subtype !== undefined || message.channel_type !== 'im') return;
      journal.acted.push(message.ts);
      notes.push(`${people.get(message.user)}: ${message.text}`);
    });

    app.action('sum-up', async ({ ack, body, client }) => {
      await ack();
      const { channels } = await client.conversations.list({ types: 'public_channel' });
      const channel = channels?.find(({ name }) => name === 'standup')?.id as string;
      const { ts } = await client.chat.postMessage({ channel, text: notes.toSorted().join('\n') });
      const { permalink } = await client.chat.getPermalink({ channel, message_ts: ts as string });
      await client.chat.postMessage({ channel: body.user.id, text: `Summed up: ${permalink}` });
    });
  },

  async story(team: Team, journal: Journal, middle: () => Promise<void>): Promise<void> {
    const { ann, bob } = team.people;
    const channel = team.channels['standup'] as string;
    const text = `${ann.email} ${bob.email}`;
    const planned = await team.act('ann', 'command', { channel, command: '/standup', text, until: 'reply' });
    expect(planned['replies'].ephemeral).toMatchObject([{ text: '2 will be asked' }]);
    const home = await team.act('ann', 'home', { app_id: team.app['id'] });
    const shown = async () => (await team.screen('ann'))['home'][team.app['id']]?.blocks[0].text.text as string;
    await expect.poll(shown, { timeout: 15_000 }).toMatch(/ in .*#standup.*: ann, bob$/);

    // both are asked once at their time, whichever server posts the question
    const direct = home['result'].channel as string;
    const asked = async () =>
      (await team.call('conversations.history', { channel: direct }))['messages'].filter(
        (message: { bot_id?: string }) => message.bot_id,
      );
    const answers = Array.from({ length: 8 }, (_, n) => team.say('ann', '@stand-up', `did ${n}`));
    await Promise.all(answers);
    const more = Array.from({ length: 8 }, (_, n) => team.say('bob', '@stand-up', `made ${n}`));
    await middle();
    await expect.poll(async () => (await asked()).length, { timeout: 30_000 }).toBe(1);
    await team.expectActed(journal, await Promise.all([...answers, ...more]));
    // scheduled a second later, so asked a second later
    const waiting = async () => (await team.call('chat.scheduledMessages.list'))['scheduled_messages'];
    await expect.poll(waiting, { timeout: 15_000 }).toEqual([]);
    expect(await asked()).toMatchObject([{ text: 'What did you do?' }]);

    const summed = await team.act('ann', 'click', { app_id: team.app['id'], home: true, action_id: 'sum-up' });
    expect(summed['deliveries']).toMatchObject([{ kind: 'block_actions', outcome: 'acked' }]);
    await expect.poll(async () => (await asked()).length, { timeout: 15_000 }).toBe(2);
    const [summary] = await asked();
    expect(summary.text).toMatch(/^Summed up: <.*\/archives\/C\w+\/p\d{16}>$/);
    const { messages } = await team.call('conversations.history', { channel });
    expect(messages[0].text.split('\n')).toEqual([
      ...Array.from({ length: 8 }, (_, n) => `ann: did ${n}`),
      ...Array.from({ length: 8 }, (_, n) => `bob: made ${n}`),
    ]);
  },
};
