import { beforeAll, describe, expect, it } from 'vitest';
import { ensureBuilt } from '../support/server-process.js';
import { onOwnCluster } from '../support/postgres-cluster.js';
import { check } from './check.js';
import { USUAL } from './generator.js';
import type { History } from './history.js';
import { PREPARED } from './mutations.js';
import { record } from './run.js';
import { World } from './world.js';

const isAsked = process.env['HISTORIES_MUTATIONS'] === 'true';
const skipped = isAsked ? onOwnCluster : ' (skipped: takes minutes, `npm run histories -- --mutations` asks for it)';

/** More of what is rare, so that little is enough. */
const WEIGHTS = {
  ...USUAL,
  reply: 30,
  revoke: 1,
  auth: 8,
  delete: 8,
  reset: 0,
  back: 0,
  timeline: 4,
  wait: 4,
  replies: 16,
};

/** The longest that calls are made, in milliseconds. */
const LENGTH_MS = 60_000;

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
    const isFound = (history: History): boolean => {
      for (const { kind } of check(history)) if (kinds.includes(kind)) found.add(kind);
      return found.size > 0;
    };
    const world = { replicas: 2, tenants: 2, clients: 16, hasFaults: false, weights: WEIGHTS, heat: 0.9 };
    const prepared = PREPARED[mutation];
    const { history } = await record({ ...world, seed: 1, ms: LENGTH_MS, mutation, prepared, isEnough: isFound });
    const isIt = isFound(history);
    const last = Math.max(...history.calls.map(({ end }) => end));
    const first = Math.min(...history.calls.map(({ start }) => start));
    const seconds = Math.round((last - first) / 1_000);
    console.log(`${mutation}: ${seconds} s, ${history.calls.length} calls: ${[...found].join(', ')}`);
    expect(isIt).toBe(true);
  });
});
