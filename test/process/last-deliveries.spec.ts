import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { closeReceivers, receiver } from '../support/receiver.js';
import { scratchFolder } from '../support/scratch.js';
import { ensureBuilt, ServerProcess } from '../support/server-process.js';

const OPERATOR = { 'x-admin-token': 'operator-of-the-tests' };
const TOKEN = `xoxp-${'d'.repeat(24)}`;

describe('a server that stops while an app has not answered yet', { timeout: 120_000 }, () => {
  const folder = scratchFolder();
  beforeAll(ensureBuilt, 300_000);
  closeReceivers();

  it('has the delivery on the timeline, with its outcome', async () => {
    const app = await receiver();
    const env = { SVC_DATA_DIR: join(folder, 'data'), SVC_ADMIN_TOKEN: OPERATOR['x-admin-token'] };
    const server = await ServerProcess.start(env);
    const made = await fetch(`${server.baseUrl}/api/sandboxes`, {
      method: 'POST',
      headers: { ...OPERATOR, 'content-type': 'application/json' },
      body: JSON.stringify({
        users: [{ name: 'u', user_token: TOKEN }],
        channels: [{ name: 'c', members: ['u', 'ears'] }],
        apps: [
          {
            name: 'ears',
            scopes: { bot: ['channels:history'] },
            event_subscriptions: { request_url: app.url, events: ['message'] },
          },
        ],
      }),
    });
    const { id, credentials } = (await made.json()) as {
      id: string;
      credentials: { control_token: string; channels: { c: string } };
    };
    let answer = (): void => undefined;
    app.answer = (_, reply) => void (answer = () => void reply.end());
    const before = app.received.length;
    await server.call('chat.postMessage', TOKEN, { channel: credentials.channels.c, text: 'told at last' });
    await app.until((received) => received.length > before);

    const ended = server.kill('SIGTERM');
    setTimeout(() => answer(), 1_000);
    expect((await ended).code).toBe(0);

    const again = await ServerProcess.start(env);
    const timeline = await fetch(`${again.baseUrl}/api/sandboxes/${id}/timeline?kind=delivery`, {
      headers: { 'x-sandbox-token': credentials.control_token },
    });
    expect(await timeline.json()).toMatchObject({
      entries: [{ kind: 'delivery', event: 'message', response: { status: 200 } }],
    });
    await again.kill('SIGTERM');
  });
});
