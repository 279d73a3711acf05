import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { makeSandbox, send } from '../support/sandbox-routes.js';

/** docs/reference/sandboxes.md#sandboxes */
describe('a sandbox that is deleted meanwhile', () => {
  const app = useApp();

  it.each([
    ['POST', '/snapshots', {}],
    ['POST', '/reset', {}],
    ['PATCH', '', { name: 'renamed' }],
    ['PUT', '/clock', { frozen: true }],
    ['POST', '/clock/advance', { by: '1h' }],
  ])('is one that does not exist for %s %s', async (method, path, body) => {
    const { ctl } = await makeSandbox(app);
    const self = '/api/sandboxes/self';
    const gone = send(app, 'DELETE', self, ctl);
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(app, method, `${self}${path}`, ctl, body)));
    expect((await gone).status).toBe(200);
    const faulty = answers.filter(({ status }) => ![200, 201, 401, 404].includes(status));
    expect(faulty).toEqual([]);
  });
});
