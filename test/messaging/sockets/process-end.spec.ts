import { beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { ensureBuilt, ServerProcess } from '../../support/server-process.js';
import { closeSockets, openUrl, RawSocket } from '../../support/socket-app.js';

const APP_TOKEN = `xapp-1-A0APP000001-1767225600000-${'a'.repeat(64)}`;

// docs/reference/socket-mode.md#disconnecting
describe('a process that stops with an open connection', { timeout: 60_000 }, () => {
  closeSockets();
  beforeAll(ensureBuilt, 300_000);

  it.each(['SIGTERM', 'SIGINT'] as const)('notifies it at once on %s, waits 3 s, and exits', async (signal) => {
    const server = await ServerProcess.start({ SVC_DATA_DIR: 'memory', SVC_DEFAULT_APP_TOKEN: APP_TOKEN });
    const { url } = await openUrl(server, APP_TOKEN);
    const one = new RawSocket(new WebSocket(url as string));
    await one.hello();
    const begun = performance.now();
    const ended = server.kill(signal);
    await one.until(() => one.of('disconnect').length > 0);
    // at once, not after the 3 s
    expect(performance.now() - begun).toBeLessThan(2_500);
    expect(one.of('disconnect')).toMatchObject([{ reason: 'refresh_requested' }]);
    expect([1000, 1001]).toContain(await one.closed());
    expect(await ended).toMatchObject({ code: 0 });
    expect(performance.now() - begun).toBeLessThan(8_000);
  });
});
