import { performance } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const LOOK_EVERY_MS = 700;
/** Below this share of its time at work the process rests. */
const REST = 0.05;
/** Two looks in a row, so that a pause between two calls of a test is none. */
const LOOKS_AT_REST = 2;
/** A collection takes up to 0.1 s, so it has to be worth it, and is not done again soon. */
const WORTH_BYTES = 24 * 1024 * 1024;
const NOT_AGAIN_MS = 60_000;

/**
 * Gives the room of what is garbage back to the system when the process rests: V8 keeps that of its youngest objects (55 of
 * 200 MB after a start on Node 24) for as long as nothing is allocated. Answers how to end it.
 * @param worthBytes how much has to be held in vain
 */
export function returnMemoryAtRest(worthBytes = WORTH_BYTES): () => void {
  let before = performance.eventLoopUtilization();
  let looks = 0;
  let doneAt = -Infinity;
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    looks = utilization < REST ? looks + 1 : 0;
    if (looks < LOOKS_AT_REST || performance.now() - doneAt < NOT_AGAIN_MS || unusedBytes() < worthBytes) return;
    doneAt = performance.now();
    looks = 0;
    collect();
  }, LOOK_EVERY_MS).unref();
  return () => clearInterval(timer);
}

function unusedBytes(): number {
  const { total_physical_size: held, used_heap_size: used } = getHeapStatistics();
  return held - used;
}

/**
 * As V8 does when memory is short. Asked of it through `gc`, as the inspector's `HeapProfiler.collectGarbage` never comes back
 * where there are worker threads (Node 20 and 24). Node 20 makes a small collection of it, but holds less in vain, too.
 */
function collect(): void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as (options: object) => void;
  setFlagsFromString('--no-expose-gc');
  gc({ type: 'major', flavor: 'last-resort' });
}
