import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { attempt, CREDENTIALS, SETTINGS, succeeded, type Outcome } from '../support/load.js';
import { eventually } from '../support/receiver.js';
import { scratchFolder } from '../support/scratch.js';
import { ensureBuilt, ServerProcess } from '../support/server-process.js';
import { openUrl, RawSocket } from '../support/socket-app.js';
import { storedTexts } from '../support/stored-texts.js';

const APP_TOKEN = `xapp-1-A0000000001-1234567890123-${'a'.repeat(64)}`;

/** The process and all its descendants, whatever their sessions: what systemd sends a signal to. */
function treeOf(root: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        // the name, in parentheses, may contain spaces
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\)/s, '');
        return [{ pid: Number(pid), parent: Number(stat.trim().split(' ')[1]) }];
      } catch {
        return []; // it has ended
      }
    });
  const childrenOf = (pid: number): number[] =>
    parents.filter(({ parent }) => parent === pid).flatMap((child) => [child.pid, ...childrenOf(child.pid)]);
  return [root, ...childrenOf(root)];
}

describe.skipIf(process.platform !== 'linux')('a SIGTERM to every process of the server', { timeout: 120_000 }, () => {
  const folder = scratchFolder();
  beforeAll(ensureBuilt, 300_000);

  it('lets it drain on the embedded database: calls are answered, sockets are closed properly, it exits with 0', async () => {
    const env = {
      SVC_DATA_DIR: join(folder, 'data'),
      SVC_EMBEDDED_ENGINE: 'postgres',
      SVC_DEFAULT_APP_TOKEN: APP_TOKEN,
      ...SETTINGS,
    };
    const server = await ServerProcess.start(env);
    onTestFinished(async () => void (await server.kill()));
    const post = (text: string): Promise<Outcome> =>
      attempt(`${server.baseUrl}/api/chat.postMessage`, `Bearer ${CREDENTIALS.bot_token}`, {
        channel: '#general',
        text,
      });
    const channel = (await post('before')).body.channel as string;
    const { url } = await openUrl(server, APP_TOKEN);
    const socket = new RawSocket(new WebSocket(url as string));
    await socket.hello();

    // a load balancer asks, so calls are accepted for three more seconds
    expect((await fetch(`${server.baseUrl}/api/health/ready`)).status).toBe(200);
    const pids = treeOf(server.running.child.pid as number);
    expect(pids.length).toBeGreaterThan(3);
    for (const pid of pids) process.kill(pid, 'SIGTERM');
    await server.running.logged('SIGTERM: stopping');
    await eventually(async () => succeeded(await post('while it drains')), 'a post while it drains');
    expect(await server.ended).toMatchObject({ code: 0 });
    expect(await socket.closed()).not.toBe(1006);

    const again = await ServerProcess.start(env);
    expect(await storedTexts(again, CREDENTIALS.bot_token, channel)).toEqual(['while it drains', 'before']);
    expect(await again.kill('SIGTERM')).toMatchObject({ code: 0 });
  });
});
