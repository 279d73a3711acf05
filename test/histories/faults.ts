import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from './random.js';
import type { World } from './world.js';

/** What may go wrong, and how often compared with the others. */
const KINDS = {
  'kill a replica': 4,
  'kill a replica before a commit': 2,
  'kill a replica after a commit': 2,
  'stop a replica in order': 2,
  'freeze a replica': 3,
  'restart PostgreSQL': 1,
  'crash PostgreSQL': 1,
  'cut all connections': 2,
  'silence all connections': 1,
  'silence some connections': 2,
  'make PostgreSQL read-only': 1,
  'starve a replica': 2,
  'let a clock jump': 2,
  'make the pooler too small': 2,
  'restart the pooler': 2,
  'promote the standby': 2,
  'fill the disk': 2,
} as const;
export type FaultKind = keyof typeof KINDS;

/** Causes one fault, and heals what would not heal by itself. */
async function cause(kind: FaultKind, world: World, random: Random): Promise<void> {
  const { cluster, relay } = world;
  switch (kind) {
    case 'kill a replica':
      return world.kill();
    case 'kill a replica before a commit':
    case 'kill a replica after a commit':
      // one more, which does not live long
      return world.addReplica({
        moment: kind === 'kill a replica before a commit' ? 'before' : 'after',
        count: 20 + random.below(200),
      });
    case 'stop a replica in order':
      return world.stopOne();
    case 'freeze a replica':
      // who calls it waits meanwhile; now and then longer than its leases
      return world.freeze(500 + random.below(random.next() < 0.25 ? 4_000 : 1_000));
    case 'restart PostgreSQL':
    case 'crash PostgreSQL':
      await cluster.stop(kind === 'restart PostgreSQL' ? 'fast' : 'immediate');
      if (kind === 'crash PostgreSQL') world.noteCrash();
      return cluster.start();
    case 'cut all connections':
      relay.refuse();
      await sleep(random.below(1_500));
      return relay.release();
    case 'silence all connections':
      relay.hold();
      await sleep(500 + random.below(2_500));
      return relay.release();
    case 'silence some connections':
      relay.holdSome('understudy', 1 + random.below(4));
      return undefined;
    case 'make PostgreSQL read-only':
      await cluster.setReadOnly(true);
      await sleep(500 + random.below(2_500));
      return cluster.setReadOnly(false);
    case 'starve a replica':
      return world.starve(1_000 + random.below(3_000));
    case 'let a clock jump':
      return world.jump(500 + random.below(3_000));
    case 'make the pooler too small':
      return world.limitSessions(2 + random.below(6), 1_000 + random.below(3_000));
    case 'restart the pooler':
      return world.restartPooler(random.below(1_500));
    case 'promote the standby':
      return world.promote();
    case 'fill the disk':
      return world.fillDisk(500 + random.below(2_000));
  }
}

/** While these last, nothing can be stored. */
const OUTAGES: ReadonlySet<string> = new Set<FaultKind>([
  'restart PostgreSQL',
  'crash PostgreSQL',
  'cut all connections',
  'silence all connections',
  'make PostgreSQL read-only',
  'make the pooler too small',
  'restart the pooler',
  'promote the standby',
  'fill the disk',
]);
export const outagesOf = (faults: readonly Fault[]): readonly Fault[] => faults.filter(({ kind }) => OUTAGES.has(kind));

/** A fault that is asked for and comes by no chance. */
const UPGRADE = 'upgrade from the version before';

/** A fault, and from when until when it was caused, in milliseconds of the run. */
export interface Fault {
  readonly kind: FaultKind | typeof UPGRADE;
  readonly from: number;
  readonly to: number;
}

/** Replaces the replicas of an older version, one by one, a while after the beginning. */
export async function upgrade(world: World, inMs: number, now: () => number): Promise<Fault> {
  await sleep(inMs);
  const from = now();
  await world.upgrade();
  return { kind: UPGRADE, from, to: now() };
}

function isPossible(kind: FaultKind, { hasStandby, hasOwnDisk, hasPooler }: World): boolean {
  if (kind === 'promote the standby') return hasStandby;
  if (kind === 'fill the disk') return hasOwnDisk;
  return kind !== 'restart the pooler' || hasPooler;
}

/**
 * Causes faults by the seed until it is told to stop.
 * @param pause the shortest pause between two, and how much longer it may be, in milliseconds
 */
export async function causeFaults(
  world: World,
  random: Random,
  [shortest, more]: readonly [number, number],
  now: () => number,
  isOver: () => boolean,
): Promise<readonly Fault[]> {
  const faults: Fault[] = [];
  for (;;) {
    await sleep(shortest + random.below(more));
    if (isOver()) return faults;
    const kind = random.weighted<FaultKind>(KINDS);
    if (!isPossible(kind, world)) continue;
    const from = now();
    await cause(kind, world, random).catch(() => undefined);
    faults.push({ kind, from, to: now() });
  }
}
