import { beforeAll, describe, expect, it } from 'vitest';
import { ensureBuilt } from '../support/server-process.js';
import { onOwnCluster } from '../support/postgres-cluster.js';
import { check } from './check.js';
import { record } from './run.js';
import { World } from './world.js';

const isAsked = process.env['HISTORIES_MUTATIONS'] === 'true';
const skipped = isAsked ? onOwnCluster : ' (skipped: takes minutes, `npm run histories -- --mutations` asks for it)';

/** In which way the replicas are broken, and the kinds of violations of which one tells of it. */
const MUTATIONS: Readonly<Record<string, readonly string[]>> = {
  'a commit is rolled back now and then': ['lost write', 'stale read', 'deleted but read', 'membership'],
  'a revoked token is remembered': ['revoked token'],
  'sockets are not told of some events': ['a hole in what a socket heard'],
  'sockets are told in another order': ['heard out of order', 'a hole in what a socket heard'],
  'outcomes of deliveries are not stored': ['delivered twice'],
  'the last reply of a thread is left out': ['counts', 'lost write'],
  'a deletion does nothing': ['deleted but read'],
  'everybody is a member': ['membership'],
  'pages of a channel are remembered': ['lost write', 'stale read'],
  'a page shows what another caller read before': ['of another tenant', 'lost write', 'invented text'],
};

/** docs/reliability.md#is-the-checker-any-good */
describe.skipIf(!isAsked || !World.isPossible)(`broken servers${skipped}`, { timeout: 180_000 }, () => {
  beforeAll(ensureBuilt, 300_000);

  it.each(Object.entries(MUTATIONS))('are found: %s', async (mutation, kinds) => {
    const { history } = await record({ seed: 1, ms: 15_000, replicas: 2, tenants: 2, hasFaults: false, mutation });
    const found = new Set(check(history).map(({ kind }) => kind));
    console.log(`${mutation}: ${history.calls.length} calls, ${[...found].join(', ')}`);
    expect([...found].some((kind) => kinds.includes(kind))).toBe(true);
  });
});
