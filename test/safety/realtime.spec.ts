import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Db } from '../../src/kernel/database/db.js';
import { TestApp } from '../support/app.js';
import { Listener } from '../support/listener.js';
import { eventually } from '../support/receiver.js';

const LISTENERS = 60;
const EVENTS = 1_500;

/** docs/reference/realtime.md#limits */
describe('a tenant with very many listeners', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await TestApp.start({ SVC_MAX_SOCKETS: '1000' });
  });
  afterAll(() => app.stop());

  it('sends every event to all of them, while a neighbour still hears promptly', { timeout: 60_000 }, async () => {
    const [large, neighbour] = [await app.workspace(), await app.workspace()];
    const loud = await large.adminClient();
    const quiet = await neighbour.adminClient();
    const listeners = await Promise.all(
      Array.from({ length: LISTENERS }, () => Listener.connect(app, { token: loud.token })),
    );
    const quietOne = await Listener.connect(app, { token: quiet.token });
    const event = {
      type: 'message',
      channel_type: 'channel',
      channel: large.general.id,
      user: loud.userId,
      text: 'flood',
    };
    const { tenantId, general } = large;
    const recorded = { tenantId, product: 'chat', kind: 'message', room: `conversation:${general.id}` } as const;
    // recorded together, so they are committed together
    await app.nest.get(Db).write(async (tx) => {
      for (let i = 0; i < EVENTS; i++) tx.record({ ...recorded, data: JSON.stringify(event) });
    });
    await large.message({ channel: large.general, text: 'the last of it' });
    await eventually(() => listeners.some(({ texts }) => texts.length > 0), 'the first listener hears an event');
    const heard = new Promise<void>((resolve) => quietOne.socket.once('message', () => resolve()));
    await quiet.call('chat.postMessage', { channel: neighbour.general.id, text: 'quick' });
    await heard;
    // the neighbour heard before the last of these listeners, though all their events were committed earlier
    expect(listeners.some(({ heard: all }) => all.length < EVENTS)).toBe(true);
    for (const listener of listeners) {
      // a busy machine needs time for 90,000 frames
      await listener.until('the last of it', 45_000);
      expect(listener.texts.length).toBe(EVENTS + 1);
    }
  });
});
