import type { Project } from './project.entity.js';
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
