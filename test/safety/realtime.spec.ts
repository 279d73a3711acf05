import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Db } from '../../src/kernel/database/db.js';
import { statement } from '../../src/kernel/database/statement.js';
import { TestApp } from '../support/app.js';
import { Listener } from '../support/listener.js';
import { eventually } from '../support/receiver.js';

const LISTENERS = 60;
const EVENTS = 1_500;

const FLOOD = statement(
  'tests_flood_of_events',
  `INSERT INTO events (tenant_id, product, kind, room, data, recorded_at)
   SELECT $1, 'chat', 'message', 'conversation:' || $2, $3, now() FROM generate_series(1, $4::int)`,
);

/** docs/reference/realtime.md#limits */
describe('a crowd that listens', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await TestApp.start({ SVC_MAX_SOCKETS: '1000' });
  });
  afterAll(() => app.stop());

  it('hears everything, and a neighbour hears before it is through', { timeout: 60_000 }, async () => {
    const [crowd, neighbour] = [await app.workspace(), await app.workspace()];
    const loud = await crowd.adminClient();
    const quiet = await neighbour.adminClient();
    const listeners = await Promise.all(
      Array.from({ length: LISTENERS }, () => Listener.connect(app, { token: loud.token })),
    );
    const quietOne = await Listener.connect(app, { token: quiet.token });
    const event = {
      type: 'message',
      channel_type: 'channel',
      channel: crowd.general.id,
      user: loud.userId,
      text: 'flood',
    };
    await app.nest.get(Db).run(FLOOD, [crowd.tenantId, crowd.general.id, JSON.stringify(event), EVENTS]);
    await crowd.message({ channel: crowd.general, text: 'the last of it' });
    await eventually(() => listeners.some(({ texts }) => texts.length > 0), 'the crowd hears');
    const heard = new Promise<void>((resolve) => quietOne.socket.once('message', () => resolve()));
    await quiet.call('chat.postMessage', { channel: neighbour.general.id, text: 'quick' });
    await heard;
    // sooner than the last of the crowd’s events, though all of them had committed before
    expect(listeners.some(({ heard: all }) => all.length < EVENTS)).toBe(true);
    for (const listener of listeners) {
      await listener.until('the last of it');
      expect(listener.texts.length).toBe(EVENTS + 1);
    }
  });
});
