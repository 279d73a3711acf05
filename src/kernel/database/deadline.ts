const TICK_MS = 100;
/**
 * The most that counts between two ticks: while a process is stopped, starved or busy it reads no answers, so that time
 * says nothing about who should have answered.
 */
const LONGEST_TICK_MS = 250;

export interface Deadline {
  /** What was waited for has come. */
  end(): void;
}

interface Open extends Deadline {
  readonly due: number;
  readonly missed: () => void;
}

const open = new Set<Open>();
/** The time spent waiting while there were deadlines, in milliseconds. */
let waited = 0;
let tickedAt = 0;
let timer: NodeJS.Timeout | undefined;

function tick(): void {
  const now = performance.now();
  waited += Math.min(now - tickedAt, LONGEST_TICK_MS);
  tickedAt = now;
  for (const deadline of open) {
    if (deadline.due > waited) continue;
    open.delete(deadline);
    deadline.missed();
  }
  if (open.size > 0) return;
  clearInterval(timer);
  timer = undefined;
}

/**
 * Calls `missed` unless `end` is called within `ms`, give or take 200 ms, of time in which this process was able to
 * notice an answer. One timer serves all, as every statement has a deadline.
 */
export function deadline(ms: number, missed: () => void): Deadline {
  if (!timer) {
    tickedAt = performance.now();
    timer = setInterval(tick, TICK_MS).unref();
  }
  const made: Open = { due: waited + ms, missed, end: () => void open.delete(made) };
  open.add(made);
  return made;
}
