/** The priorities of issues and projects, 0 to 4, as people read them (docs/reference/tracker.md#issue). */
export const PRIORITY_LABELS = ['No priority', 'Urgent', 'High', 'Medium', 'Low'] as const;

export const priorityLabel = (priority: number): string => PRIORITY_LABELS[priority] ?? PRIORITY_LABELS[0];
