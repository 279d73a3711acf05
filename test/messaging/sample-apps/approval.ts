import type { App, BlockAction, ButtonAction } from '@slack/bolt';
import { expect } from 'vitest';
import { label, mrkdwn, type Journal, type SampleApp } from './sample-app.js';
import type { Team } from './team.js';

/** Users request an amount in a modal; buttons in a channel approve or deny it; a mention lists open requests. */
export const approvalBot: SampleApp = {
  name: 'approvals',
  scopes: ['chat:write', 'commands', 'channels:history', 'app_mentions:read', 'im:write', 'users:read'],
  events: ['app_mention'],
  commands: ['/approve'],
  channels: ['approvals'],

  listen(app: App, journal: Journal): void {
    const pending = new Set<string>();

    app.command('/approve', async ({ ack, body, client }) => {
      await ack();
      await client.views.open({ trigger_id: body.trigger_id, view: formFor(body.channel_id) });
    });

    app.view('request', async ({ ack, body, view, client }) => {
      const amount = Number(view.state.values['amount']?.['value']?.value);
      if (!(amount > 0)) return ack({ response_action: 'errors', errors: { amount: 'How much, as a number?' } });
      await ack();
      const { ts } = await client.chat.postMessage({
        channel: view.private_metadata,
        text: `<@${body.user.id}> asks for ${amount}`,
        blocks: [mrkdwn(`<@${body.user.id}> asks for *${amount}*`), decisions(body.user.id)],
      });
      pending.add(ts as string);
    });

    app.action<BlockAction<ButtonAction>>(/^(approve|deny)$/, async ({ ack, action, body, client, respond }) => {
      await ack();
      const isApproved = action.action_id === 'approve';
      const verdict = `${isApproved ? 'Approved' : 'Denied'} by <@${body.user.id}>`;
      pending.delete(body.message?.ts as string);
      await client.chat.update({
        channel: body.channel?.id as string,
        ts: body.message?.ts as string,
        text: verdict,
        blocks: [mrkdwn(verdict)],
      });
      await respond({ response_type: 'ephemeral', replace_original: false, text: 'Thank you' });
      await client.chat.postMessage({ channel: action.value as string, text: verdict });
    });

    app.event('app_mention', async ({ event, client }) => {
      journal.acted.push(event.ts);
      await client.chat.postMessage({ channel: event.channel, thread_ts: event.ts, text: `${pending.size} pending` });
    });
  },

  async story(team: Team, journal: Journal, middle: () => Promise<void>): Promise<void> {
    const channel = team.channels['approvals'] as string;
    const first = await request(team, '12');
    const asked = await team.act('bob', 'message', { channel, text: 'what is open?', mention: team.app['id'] });
    expect(asked['replies'].messages).toMatchObject([{ text: '1 pending', thread_ts: asked['result'].ts }]);

    // ten users ask at the same time
    const half = Array.from({ length: 10 }, (_, n) => ask(team, channel, `before ${n}`));
    await Promise.all(half);
    const others = Array.from({ length: 10 }, (_, n) => ask(team, channel, `meanwhile ${n}`));
    await middle();
    const mentions = [asked['result'].ts as string, ...(await Promise.all([...half, ...others]))];
    await team.expectActed(journal, mentions);

    const denied = await team.act('bob', 'click', { channel, message_ts: first, action_id: 'deny' });
    expect(denied['deliveries']).toMatchObject([{ kind: 'block_actions', outcome: 'acked' }]);
    const decided = async () => (await posts(team, channel)).find(({ ts }) => ts === first);
    const verdict = `Denied by <@${team.people.bob.id}>`;
    await expect.poll(async () => (await decided())?.text, { timeout: 15_000 }).toBe(verdict);
    expect(await decided()).toMatchObject({ edited: expect.anything(), blocks: [{ type: 'section' }] });
    const second = await request(team, '7');
    expect(second > first).toBe(true);
  },
};

const ask = (team: Team, channel: string, text: string): Promise<string> =>
  team.say('ann', channel, text, { mention: team.app['id'] });

/** Ann requests an amount, at first without stating it. Answers the ts of the message in the channel. */
async function request(team: Team, amount: string): Promise<string> {
  const channel = team.channels['approvals'] as string;
  await team.act('ann', 'command', { channel, command: '/approve' });
  const open = async (): Promise<{ id: string }[]> => (await team.screen('ann'))['modals'];
  await expect.poll(async () => (await open()).length, { timeout: 15_000 }).toBe(1);
  const viewId = (await open())[0]?.id as string;
  const refused = await team.act('ann', 'submit', { view_id: viewId, values: { value: 'a lot' } });
  expect(refused['result']).toMatchObject({ closed: false, errors: { amount: 'How much, as a number?' } });
  const submitted = await team.act('ann', 'submit', { view_id: viewId, values: { value: amount }, until: 'ack' });
  expect(submitted['result']).toEqual({ closed: true, errors: {}, view: null });
  const text = `<@${team.people.ann.id}> asks for ${amount}`;
  await expect
    .poll(async () => (await posts(team, channel)).map((post) => post.text), { timeout: 15_000 })
    .toContain(text);
  return (await posts(team, channel)).find((post) => post.text === text)?.ts as string;
}

const posts = async (team: Team, channel: string): Promise<{ text: string; ts: string }[]> =>
  (await team.call('conversations.history', { channel, limit: 200 }))['messages'];

const formFor = (channel: string) => ({
  type: 'modal' as const,
  callback_id: 'request',
  private_metadata: channel,
  title: label('Approval'),
  submit: label('Ask'),
  blocks: [
    {
      type: 'input' as const,
      block_id: 'amount',
      label: label('How much?'),
      element: { type: 'plain_text_input' as const, action_id: 'value' },
    },
  ],
});

const decisions = (asker: string) => ({
  type: 'actions' as const,
  block_id: 'decision',
  elements: [
    { type: 'button' as const, action_id: 'approve', value: asker, text: label('Approve') },
    { type: 'button' as const, action_id: 'deny', value: asker, text: label('Deny') },
  ],
});
