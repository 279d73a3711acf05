import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { makeSandbox, OPERATOR, send } from '../support/sandbox-routes.js';

/** docs/reference/sandboxes.md */
describe('Requests to a sandbox with unexpected values', () => {
  const app = useApp();

  it('are refused with what was expected', async () => {
    const { ctl } = await makeSandbox(app);
    const rule = { on: {}, do: { type: 'drop' } };
    const cases: [string, object, string][] = [
      ['/deliveries/release', { order: {} }, 'order'],
      ['/deliveries/release', { order: ['reversed'] }, 'order'],
      ['/deliveries/release', { count: 1e308 }, 'count'],
      ['/deliveries/release', { random_seed: 1e308 }, 'random_seed'],
      ['/delivery-rules', { ...rule, on: { evnt: 'message' } }, 'on.evnt'],
      ['/delivery-rules', { ...rule, on: { event: 'x'.repeat(301) } }, 'on.event'],
      ['/delivery-rules', { ...rule, do: { type: 'delay', ms: 1, seconds: 1 } }, 'do.seconds'],
      ['/delivery-rules', { ...rule, time: 1 }, 'time'],
      ['/faults', { on: { method: '*', app: 'x'.repeat(301) }, fault: { type: 'drop' } }, 'on.app'],
    ];
    for (const [path, body, at] of cases) {
      const { status, body: answer } = await send(app, 'POST', `/api/sandboxes/self${path}`, ctl, body);
      expect([status, String(answer.message)], JSON.stringify(body).slice(0, 100)).toEqual([
        400,
        expect.stringContaining(at),
      ]);
    }
    for (const list of ['faults', 'delivery-rules']) {
      const { body } = await send(app, 'GET', `/api/sandboxes/self/${list}`, ctl);
      expect(Object.values(body), list).toEqual([[]]);
    }
    const twice = await send(app, 'GET', '/api/sandboxes/self/deliveries?target=a&target=b', ctl);
    expect([twice.status, String(twice.body.message)]).toEqual([400, 'target must stand once']);
  });

  it('match nothing when they search for text that cannot be stored', async () => {
    const { ctl } = await makeSandbox(app);
    for (const path of ['timeline', 'timeline.har', 'deliveries', 'changes']) {
      for (const query of ['user=%00', 'channel=%00', 'target=%00', 'event=%00', 'name=%00']) {
        const { status } = await send(app, 'GET', `/api/sandboxes/self/${path}?${query}`, ctl);
        expect(status, `${path}?${query}`).toBe(200);
      }
    }
    for (const query of ['name=%00', 'label=a:%00', 'label=%00:a']) {
      const { status, body } = await send(app, 'GET', `/api/sandboxes?${query}`, OPERATOR);
      expect([status, body.sandboxes], query).toEqual([200, []]);
    }
  });
});
