import { describe, expect, it } from 'vitest';
import { TestApp } from '../support/app.js';

// oxlint-disable-next-line no-explicit-any
type Any = any;

const OPERATOR = { 'x-admin-token': 'operator-of-the-tests' };

/** docs/reference/sandboxes.md#sandboxes */
describe('POST /api/sandboxes at the limit', () => {
  it('is refused beyond SVC_SANDBOX_LIMIT, also when many are created concurrently', async () => {
    const full = await TestApp.start({ SVC_SANDBOX_LIMIT: '5', DATABASE_URL: '', SVC_DATA_DIR: 'memory' });
    const post = async (
      path: string,
      body: object,
      as: Record<string, string> = OPERATOR,
    ): Promise<{ status: number; body: Any }> => {
      const headers = { ...as, 'content-type': 'application/json' };
      const response = await fetch(`${full.baseUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      return { status: response.status, body: await response.json() };
    };
    try {
      const first = await post('/api/sandboxes', {});
      const ctl = { 'x-sandbox-token': String(first.body.credentials.control_token) };
      const from = (await post('/api/sandboxes/self/snapshots', {}, ctl)).body.id as string;
      const documents = Array.from({ length: 12 }, (_, i) =>
        i % 3 === 0 ? { from } : i % 3 === 1 ? {} : { users: 2 },
      );
      const answers = await Promise.all(documents.map((document) => post('/api/sandboxes', document)));
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 201, ...Array(8).fill(409)]);
      const refused = answers.filter(({ status }) => status === 409);
      expect(refused.map(({ body }) => body.message as string)).toEqual(Array(8).fill('too_many_sandboxes'));
      const gone = answers.find(({ status }) => status === 201)?.body.id as string;
      await fetch(`${full.baseUrl}/api/sandboxes/${gone}`, { method: 'DELETE', headers: OPERATOR });
      expect((await post('/api/sandboxes', {})).status).toBe(201);
      expect((await post('/api/sandboxes', {})).status).toBe(409);
      expect((await post('/api/admin/provision', { team: { name: 'not counted' } })).status).toBe(201);
    } finally {
      await full.stop();
    }
  });
});
