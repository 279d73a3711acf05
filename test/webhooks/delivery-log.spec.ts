import { describe, expect, it, vi } from 'vitest';
import { Log } from '../../src/kernel/log/log.js';
import { receiver } from '../support/receiver.js';
import { rest } from '../support/rest-client.js';
import { hookOf, useDeliveringApp } from '../support/tracker-hooks.js';

interface Line {
  target?: string;
  origin?: string;
}

/** docs/OPERATIONS.md#the-log */
describe('the log of a failed delivery', () => {
  const server = useDeliveringApp();

  /** The lines about deliveries to this target that are logged while it runs. */
  async function linesAbout(id: string, doing: () => Promise<unknown>): Promise<Line[]> {
    const said = vi.spyOn(server.app.nest.get(Log), 'info');
    const lines = (): Line[] =>
      said.mock.calls
        .filter(([line]) => line === 'delivery failed')
        .map(([, facts]) => facts as Line)
        .filter(({ target }) => target === id);
    try {
      await doing();
      await expect.poll(() => lines().length).toBeGreaterThanOrEqual(2);
      return lines().slice(0, 2);
    } finally {
      said.mockRestore();
    }
  }

  it('names the subscription of an app and its origin at each attempt', async () => {
    const { app } = server;
    const ws = await app.workspace();
    const { token } = await ws.jwtClient({ user: ws.admin });
    const far = await receiver((request, reply) => {
      const { type, challenge } = JSON.parse(request.body) as { type: string; challenge?: string };
      reply.writeHead(type === 'url_verification' ? 200 : 503).end(challenge);
    });
    const body = { request_url: `${far.url}/secret-path` };
    const { id, verified } = (await rest(app, 'POST /events/subscribe', { token, body })).body;
    expect(verified).toBe(true);
    const lines = await linesAbout(id as string, () => ws.message({ channel: ws.general, user: ws.admin }));
    const { origin } = new URL(far.url);
    const failed = { target: id as string, origin, reason: 'http_error', status: 503 };
    expect(lines).toEqual([
      { ...failed, attempt: 1 },
      { ...failed, attempt: 2 },
    ]);
  });

  it('names a webhook of the tracker and its origin at each attempt', async () => {
    const org = await server.app.organization();
    const hook = await hookOf(org);
    hook.refuse = () => 500;
    const lines = await linesAbout(hook.id, () => org.client().updateUser('me', { timezone: 'Europe/London' }));
    expect(lines).toEqual([
      {
        target: hook.id,
        origin: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
        reason: 'http_error',
        status: 500,
        attempt: 1,
      },
      { target: hook.id, origin: lines[0]?.origin, reason: 'http_error', status: 500, attempt: 2 },
    ]);
  });
});
