import { describe, expect, it } from 'vitest';
import { useApp } from '../../support/app.js';
import { label, modalApp } from '../../support/modal-app.js';
import { closeReceivers } from '../../support/receiver.js';
import { rest } from '../../support/rest-client.js';

describe('a response_url', () => {
  const app = useApp();
  closeReceivers();

  it('replaces and deletes an ephemeral message with replace_original and delete_original', async () => {
    const ws = await app.workspace();
    const modals = await modalApp(app, ws);
    await ws.join(ws.general, modals.bot);
    const parent = await ws.message({ channel: ws.general });
    const { message_ts } = await modals.bot.call('chat.postEphemeral', {
      channel: ws.general.id,
      user: modals.person.userId,
      thread_ts: parent.ts,
      text: 'only you',
      blocks: [{ type: 'actions', elements: [{ type: 'button', action_id: 'ok', text: label('OK') }] }],
    });
    const { body } = await modals.act('click', { channel: ws.general.id, message_ts, action_id: 'ok' });
    const respond = (answer: object) =>
      fetch(body.result.response_url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(answer),
      }).then(({ status }) => status);
    const shown = async (): Promise<object[]> =>
      (await rest(app, 'GET /act/screen', { token: modals.person.token })).body.ephemeral;

    expect(await respond({ replace_original: true, text: 'done' })).toBe(200);
    const replaced = { text: 'done', ts: message_ts, is_ephemeral: true, thread_ts: parent.ts, channel: ws.general.id };
    expect(await shown()).toEqual([expect.objectContaining(replaced)]);
    expect((await shown())[0]).not.toHaveProperty('blocks');
    expect(await respond({ text: 'and one more' })).toBe(200);
    expect(await shown()).toMatchObject([{ text: 'done' }, { text: 'and one more' }]);
    expect(await respond({ delete_original: true })).toBe(200);
    expect(await shown()).toMatchObject([{ text: 'and one more' }]);
    // a deleted message cannot be replaced, so a new one is posted
    expect(await respond({ replace_original: true, text: 'anew' })).toBe(200);
    expect(await shown()).toMatchObject([{ text: 'and one more' }, { text: 'anew' }]);
    expect(await ws.recorded('screen_changed')).toHaveLength(5);
  });
});
