/** The values that the flags are derived from. */
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
