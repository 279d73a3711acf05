import { performance } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const LOOK_EVERY_MS = 700;
/** Below this share of busy time the process is idle. */
const REST = 0.05;
/** Garbage of the start is collected after two idle measurements in a row; a pause between two calls of a test is shorter. */
const START_MS = 5_000;
const LOOKS_AFTER_START = 2;
/** Later it takes 30 idle seconds: pauses between two tests, or between two rounds of a benchmark, are shorter. */
const LOOKS_AT_REST = 43;
/** A collection takes up to 0.1 s, so it must be worthwhile, and is not repeated soon. */
const MIN_GARBAGE_BYTES = 24 * 1024 * 1024;
const NOT_AGAIN_MS = 60_000;

/**
 * Returns the memory of garbage to the system when the process is idle: V8 keeps that of its young generation (55 of
 * 200 MB after a start on Node 24) until something is allocated. Returns a function that stops this.
 * @param minGarbageBytes the least garbage that makes a collection worthwhile
 */
export function returnMemoryAtRest(minGarbageBytes = MIN_GARBAGE_BYTES): () => void {
  const startedAt = performance.now();
  let before = performance.eventLoopUtilization();
  let looks = 0;
  let doneAt = -Infinity;
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    looks = utilization < REST ? looks + 1 : 0;
    const isStarting = performance.now() - startedAt < START_MS;
    if (looks < (isStarting ? LOOKS_AFTER_START : LOOKS_AT_REST)) return;
    if (performance.now() - doneAt < NOT_AGAIN_MS || unusedBytes() < minGarbageBytes) return;
    doneAt = performance.now();
    looks = 0;
    collect(!isStarting);
  }, LOOK_EVERY_MS).unref();
  return () => clearInterval(timer);
}

function unusedBytes(): number {
  const { total_physical_size: held, used_heap_size: used } = getHeapStatistics();
  return held - used;
}

/**
 * As V8 does under memory pressure. Called through `gc`, as the inspector's `HeapProfiler.collectGarbage` never returns
 * when there are worker threads (Node 20 and 24). Node 20 only makes a small collection, but keeps less garbage, too.
 * @param keepsCode keeps compiled code, which V8 would discard. After serving calls the process needs that code again, and
 * compiling it takes about a second of CPU time. Code that only the start needed may be discarded.
 */
export function collect(keepsCode: boolean): void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as (options: object) => void;
  setFlagsFromString('--no-expose-gc');
  if (keepsCode) setFlagsFromString('--no-flush-bytecode');
  gc({ type: 'major', flavor: 'last-resort' });
  if (keepsCode) setFlagsFromString('--flush-bytecode');
}
