/** A kind of stages, in the order in which releases go through them. */
export const STAGE_TYPES = ['planned', 'started', 'completed', 'canceled'] as const;
export type StageType = (typeof STAGE_TYPES)[number];

interface Stage {
  readonly name: string;
  readonly type: StageType;
  readonly color: string;
}

/** What a pipeline begins with, by position (docs/reference/tracker.md#releasepipeline). */
export const DEFAULT_STAGES: readonly Stage[] = [
  { name: 'Planned', type: 'planned', color: '#bec2c8' },
  { name: 'In Progress', type: 'started', color: '#f2c94c' },
  { name: 'Completed', type: 'completed', color: '#5e6ad2' },
  { name: 'Canceled', type: 'canceled', color: '#95a2b3' },
];

/** Whether it is as a pipeline begins with it. */
export const isDefaultStage = (stage: Stage & { position: number; frozen: boolean }): boolean =>
  !stage.frozen &&
  DEFAULT_STAGES.some(
    ({ name, type, color }, i) =>
      name === stage.name && type === stage.type && color === stage.color && i === stage.position,
  );

/** What entering a stage of this type sets (docs/reference/tracker.md#release). */
export function timesInStage(
  type: StageType,
  before: { readonly startedAt: Date | null; readonly startDate: string | null },
  at: Date,
): { startedAt: Date | null; startDate: string | null; completedAt: Date | null; canceledAt: Date | null } {
  const { startedAt, startDate } = before;
  switch (type) {
    case 'planned':
      return { startedAt: null, startDate, completedAt: null, canceledAt: null };
    case 'started':
      return {
        startedAt: startedAt ?? at,
        startDate: startDate ?? at.toISOString().slice(0, 10),
        completedAt: null,
        canceledAt: null,
      };
    case 'completed':
      return { startedAt, startDate, completedAt: at, canceledAt: null };
    case 'canceled':
      return { startedAt, startDate, completedAt: null, canceledAt: at };
  }
}
