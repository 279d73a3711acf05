/*
 * The derived flags of a cycle (docs/reference/tracker.md#cycle) as parts of conditions; cycle-times.ts has them for a
 * row at hand. Hand-written: filters, sorts and loaders share them. "Next" and "previous" look at the team's other
 * cycles, so only SQL knows them; archived cycles are neither. Tables of other rooms: cycles. A cycle is the next or
 * the previous one among those of its team.
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
