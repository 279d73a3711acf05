/*
 * The derived flags of a cycle (docs/reference/tracker.md#cycle), once as SQL for filters, sorting and loaders, once
 * for a row at hand. "Next" and "previous" look at the team's other cycles, so only SQL knows them; archived cycles
 * are neither.
 */

export const cycleSql = {
  completedAt: (c: string, now: string) =>
    `coalesce(${c}.completed_at, CASE WHEN ${c}.ends_at <= ${now} THEN ${c}.ends_at END)`,
  isActive: (c: string, now: string) =>
    `(${c}.starts_at <= ${now} AND ${c}.ends_at > ${now} AND ${c}.completed_at IS NULL)`,
  isFuture: (c: string, now: string) => `(${c}.starts_at > ${now})`,
  isPast: (c: string, now: string) => `(${c}.ends_at <= ${now} OR ${c}.completed_at IS NOT NULL)`,
  isNext: (c: string, now: string) =>
    `(${c}.id IS NOT DISTINCT FROM (SELECT o.id FROM cycles o WHERE o.team_id = ${c}.team_id AND o.archived_at IS NULL
      AND o.starts_at > ${now} ORDER BY o.starts_at, o.id LIMIT 1))`,
  isPrevious: (c: string, now: string) =>
    `(${c}.id IS NOT DISTINCT FROM (SELECT o.id FROM cycles o WHERE o.team_id = ${c}.team_id AND o.archived_at IS NULL
      AND ${cycleSql.isPast('o', now)} ORDER BY o.ends_at DESC, o.id DESC LIMIT 1))`,
};

/** What the flags are made of. */
interface CycleTimes {
  startsAt: Date;
  endsAt: Date;
  completedAt: Date | null;
}

/** The wire's `completedAt`: as given, else the end once it has passed. */
export function cycleCompletedAt(cycle: CycleTimes, now: Date): Date | null {
  return cycle.completedAt ?? (cycle.endsAt <= now ? cycle.endsAt : null);
}

export function isActiveCycle(cycle: CycleTimes, now: Date): boolean {
  return cycle.startsAt <= now && now < cycle.endsAt && cycle.completedAt === null;
}

export function isFutureCycle(cycle: CycleTimes, now: Date): boolean {
  return cycle.startsAt > now;
}

export function isPastCycle(cycle: CycleTimes, now: Date): boolean {
  return cycle.endsAt <= now || cycle.completedAt !== null;
}
