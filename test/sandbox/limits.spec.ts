import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { TestSandbox } from '../support/sandbox.js';

describe('GET /api/sandboxes/:id/limits', () => {
  const app = useApp();
  const made = async (multiplier = 1): Promise<TestSandbox> => {
    const sandbox = await TestSandbox.make(app);
    const patched = await sandbox.control('PATCH', '', { rate_limit_multiplier: multiplier });
    expect(patched.status, JSON.stringify(patched.body)).toBe(200);
    // nothing refills while the clock is frozen
    const frozen = await sandbox.control('PUT', '/clock', { frozen: true });
    expect(frozen.status, JSON.stringify(frozen.body)).toBe(200);
    return sandbox;
  };
  // oxlint-disable-next-line no-explicit-any
  const limitsOf = async (sandbox: TestSandbox): Promise<any[]> => {
    const { status, body } = await sandbox.control('GET', '/limits');
    expect(status, JSON.stringify(body)).toBe(200);
    return body.limits;
  };

  it('lists what is used, by app and channel', async () => {
    const sandbox = await made();
    expect(await limitsOf(sandbox)).toEqual([]);
    await sandbox.call('chat.postMessage', { channel: 'war-room', text: 'a' });
    await sandbox.call('users.list', {});
    await sandbox.call('users.list', {});
    await sandbox.graphql('{ viewer { id } }');
    const limits = await limitsOf(sandbox);
    const post = limits.find(({ key }) => key === 'chat.postMessage');
    expect(post).toMatchObject({ app: 'default-app', channel: '#war-room', used: 1, limit: 5 });
    expect(post.resets_in_ms).toBeGreaterThan(0);
    expect(post.resets_in_ms).toBeLessThanOrEqual(1_000);
    const list = limits.find(({ key }) => key === 'users.list');
    expect(list).toMatchObject({ app: 'default-app', used: 2, limit: 100 });
    expect(list.resets_in_ms).toBeLessThanOrEqual(60_000);
    expect(limits.find(({ key }) => key === 'tracker.requests')).toMatchObject({ used: 1 });
  });

  it('resets the limits that match, and none of another sandbox', async () => {
    const [sandbox, other] = await Promise.all([made(0.05), made(0.05)]);
    for (const each of [sandbox, other]) {
      for (let i = 0; i < 5; i++) expect((await each.call('users.list', {})).body.ok).toBe(true);
      expect(await each.call('users.list', {})).toMatchObject({ status: 429 });
      await each.call('conversations.list', {});
    }
    const by = async (body?: object) => (await sandbox.control('POST', '/limits/reset', body)).body;
    expect(await by({ method: 'users.list', app: 'nobody' })).toEqual({ success: true, reset: 0 });
    expect(await by({ channel: '#war-room' })).toEqual({ success: true, reset: 0 });
    expect(await by({ method: 'users.list', app: 'default-app' })).toEqual({ success: true, reset: 1 });
    expect((await sandbox.call('users.list', {})).body.ok).toBe(true);
    expect(await other.call('users.list', {})).toMatchObject({ status: 429 });
    expect((await limitsOf(sandbox)).map(({ key }) => key).toSorted()).toEqual(['conversations.list', 'users.list']);
    expect((await by()).reset).toBe(2);
    expect(await limitsOf(sandbox)).toEqual([]);
    expect(await sandbox.control('POST', '/limits/reset', { app: 1 })).toMatchObject({ status: 400 });
  });

  it('keeps the multiplier through a reset of the sandbox, which refills the limits', async () => {
    const sandbox = await made(0.05);
    const calls = async (): Promise<number[]> => {
      const statuses: number[] = [];
      for (let i = 0; i < 6; i++) statuses.push((await sandbox.call('users.list', {})).status);
      return statuses;
    };
    expect(await calls()).toEqual([200, 200, 200, 200, 200, 429]);
    expect((await sandbox.control('POST', '/reset', {})).status).toBe(200);
    expect(await calls()).toEqual([200, 200, 200, 200, 200, 429]);
  });
});
