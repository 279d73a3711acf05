/** What every organization begins with, by position (docs/reference/tracker.md#projectstatus). */
export const PROJECT_STATUSES = [
  ['Backlog', 'backlog', '#bec2c8'],
  ['Planned', 'planned', '#e2e2e2'],
  ['In Progress', 'started', '#f2c94c'],
  ['Paused', 'paused', '#95a2b3'],
  ['Completed', 'completed', '#5e6ad2'],
  ['Canceled', 'canceled', '#95a2b3'],
] as const;
