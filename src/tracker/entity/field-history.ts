/** What a mutation changed of a field. */
export interface FieldChange {
  readonly type: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** What differs between two rows, of the fields that a history has. */
export function fieldChanges<R extends object>(
  before: R,
  after: R,
  tracked: readonly (keyof R & string)[],
): FieldChange[] {
  return tracked.flatMap((type) => {
    const [from, to] = [before[type] ?? null, after[type] ?? null];
    return JSON.stringify(from) === JSON.stringify(to) ? [] : [{ type, from, to }];
  });
}
