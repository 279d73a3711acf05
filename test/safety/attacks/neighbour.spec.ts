import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { useAttacked } from '../../support/attacked.js';

describe('the neighbour beside an attack', () => {
  const server = useAttacked();

  it('is served while another tenant posts', async () => {
    const { bot, channels } = await server.sandbox();
    await server.neighbourIsServed(async () => {
      for (let n = 0; n < 50; n++) {
        const body = { channel: channels['general'], text: `post ${n}` };
        expect((await server.send('/api/chat.postMessage', { headers: bot, body })).body.ok).toBe(true);
      }
    });
  });

  it('notices a server that stands still', async () => {
    const standStill = async (): Promise<void> => {
      process.kill(server.pid, 'SIGSTOP');
      await sleep(1_000);
      process.kill(server.pid, 'SIGCONT');
    };
    await expect(server.neighbourIsServed(standStill)).rejects.toThrow(/"p99":/);
  });
});
