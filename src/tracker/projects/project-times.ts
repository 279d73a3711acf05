import { invalidArgument } from '../values/errors.js';
import type { Project } from './project.entity.js';
import type { ProjectUpdateInput } from './projects.inputs.js';
import type { ProjectStatusKind } from './statuses/project-status.entity.js';

type StatusTimes = Pick<Project, 'startedAt' | 'completedAt' | 'canceledAt'>;

/**
 * The three times after entering a status of this type (docs/reference/tracker.md#project, #issue). `completedAt`: as
 * the caller gave it; a project that never started gets the same start.
 */
export function timesOnEntering(
  type: ProjectStatusKind,
  { startedAt }: StatusTimes,
  now: Date,
  completedAt: Date = now,
): StatusTimes {
  switch (type) {
    case 'backlog':
    case 'planned':
      return { startedAt: null, completedAt: null, canceledAt: null };
    case 'started':
      return { startedAt: startedAt ?? now, completedAt: null, canceledAt: null };
    case 'paused':
      return { startedAt, completedAt: null, canceledAt: null };
    case 'completed':
      return { startedAt: startedAt ?? completedAt, completedAt, canceledAt: null };
    case 'canceled':
      return { startedAt, completedAt: null, canceledAt: now };
  }
}

/** One of the two days alone is compared with the stored other one. @throws invalidArgument where the target comes first */
export function requireOrder(project: Project, input: ProjectUpdateInput): void {
  const { startDate = project.startDate, targetDate = project.targetDate } = input;
  const isAsked = input.startDate !== undefined || input.targetDate !== undefined;
  if (!isAsked || startDate === null || targetDate === null || targetDate >= startDate) return;
  throw input.targetDate
    ? invalidArgument('targetDate', 'minDate', `minimal allowed date for targetDate is ${startDate}`)
    : invalidArgument('startDate', 'maxDate', `maximal allowed date for startDate is ${targetDate}`);
}
