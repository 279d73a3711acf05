import { beforeAll, describe, expect, it } from 'vitest';
import { ensureBuilt } from '../support/server-process.js';
import { onOwnCluster } from '../support/postgres-cluster.js';
import { check } from './check.js';
import { USUAL } from './generator.js';
import { PREPARED } from './mutations.js';
import { record } from './run.js';
import { World } from './world.js';

const isAsked = process.env['HISTORIES_MUTATIONS'] === 'true';
const skipped = isAsked ? onOwnCluster : ' (skipped: takes minutes, `npm run histories -- --mutations` asks for it)';

/** More of what is rare, so that little is enough. */
const WEIGHTS = {
  ...USUAL,
  post: 50,
  revoke: 1,
  auth: 8,
  delete: 8,
  reset: 0,
  back: 0,
  timeline: 4,
  wait: 4,
  replies: 16,
};

/** Together a minute, in milliseconds. */
const LENGTHS = [15_000, 45_000];

/** In which way the replicas are broken, and the kinds of violations of which one tells of it. */
const MUTATIONS: Readonly<Record<string, readonly string[]>> = {
  'a commit is rolled back now and then': ['lost write', 'stale read', 'deleted but read', 'membership'],
  'an event is written after the commit': ['missing on the timeline', 'missed by a wait', 'not delivered'],
  'replies are read in two statements': ['counts'],
  'a lock is left out': ['counts', 'ts twice', 'lost write'],
  'a revoked token is remembered': ['revoked token'],
  'sockets are not told of some events': ['a hole in what a socket heard'],
  'sockets are told in another order': ['heard out of order', 'a hole in what a socket heard'],
  'outcomes of deliveries are not stored': ['delivered twice'],
  'a reply that was deleted stays counted': ['counts'],
  'a deletion does nothing': ['deleted but read'],
  'everybody is a member': ['membership'],
  'messages can be read a second late': ['lost write'],
  'pages hold messages of others': ['of another tenant'],
};

/** docs/reliability.md#is-the-checker-any-good */
describe.skipIf(!isAsked || !World.isPossible)(`broken servers${skipped}`, { timeout: 600_000 }, () => {
  beforeAll(ensureBuilt, 300_000);

  it.each(Object.entries(MUTATIONS))('are found: %s', async (mutation, kinds) => {
    const found = new Set<string>();
    const isFound = (): boolean => kinds.some((kind) => found.has(kind));
    let calls = 0;
    let ms = 0;
    // on a busy machine some seconds are few calls
    for (const [seed, length] of LENGTHS.entries()) {
      if (isFound()) break;
      const prepared = PREPARED[mutation];
      const world = { replicas: 2, tenants: 2, clients: 16, hasFaults: false, weights: WEIGHTS, heat: 0.9 };
      const { history } = await record({ ...world, seed: seed + 1, ms: length, mutation, prepared });
      for (const { kind } of check(history)) found.add(kind);
      calls += history.calls.length;
      ms += length;
    }
    console.log(`${mutation}: ${ms / 1000} s, ${calls} calls: ${[...found].join(', ')}`);
    expect(isFound()).toBe(true);
  });
});
