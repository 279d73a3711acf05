import { expect, it } from 'vitest';
import { connect, type Sandbox } from '../../clients/js/src/testing.js';
import { useApp } from '../support/app.js';

const WORKERS = 20;
const TESTS = 50;

const app = useApp();

/** The app under test: it retries once when it is refused. */
async function announce({ credentials }: Sandbox, text: string): Promise<string[]> {
  const errors: string[] = [];
  for (let tries = 0; tries < 2; tries++) {
    const response = await fetch(`${app.baseUrl}/api/chat.postMessage`, {
      method: 'POST',
      headers: { authorization: `Bearer ${credentials.bot_token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ channel: 'general', text }),
    });
    const { ok, error } = (await response.json()) as { ok: boolean; error?: string };
    if (ok) return errors;
    errors.push(error ?? '');
  }
  return errors;
}

it(
  `${WORKERS} workers on one server run ${TESTS} tests each, with reset, fault, wait and assertion, and none affects another`,
  { timeout: 300_000 },
  async () => {
    const server = connect({ url: app.baseUrl, adminToken: app.settings.adminToken as string });
    const worker = async (_: unknown, n: number): Promise<void> => {
      const sandbox = await server.createSandbox({ name: `worker ${n}` });
      for (let i = 0; i < TESTS; i++) {
        const text = `worker ${n} test ${i}`;
        await sandbox.reset();
        await sandbox.fault('chat.postMessage', { type: 'error', error: `refused_${n}_${i}` });
        const waiting = sandbox.waitForMessage({ text, timeoutMs: 60_000 });
        expect(await announce(sandbox, text)).toEqual([`refused_${n}_${i}`]);
        expect((await waiting).text).toBe(text);
        await sandbox.assert({
          expect: [{ added: 'message', where: { text }, count: 1 }],
          nothingElse: ['message', 'channel', 'issue'],
        });
      }
      const entries = await sandbox.timeline({ since: 'start', kind: 'event', limit: 1_000 });
      const posts = entries.filter((entry) => entry['event'] === 'message');
      const texts = posts.map((entry) => (entry['data'] as { text?: string }).text);
      expect(texts).toEqual(Array.from({ length: TESTS }, (_test, i) => `worker ${n} test ${i}`));
      await sandbox.delete();
    };
    await Promise.all(Array.from({ length: WORKERS }, worker));
  },
);
