/** The caller's properties that statements need. */
export interface RequestingUser {
  readonly organizationId: string;
  readonly userId: string;
  /** Private teams without them. */
  readonly hiddenTeamIds: readonly string[];
  /** Deleted teams. */
  readonly archivedTeamIds: readonly string[];
}

/**
 * One statement being built: its parameters, its table aliases, the caller and the time. Values only ever become
 * parameters; SQL text comes from this code alone.
 */
export class QueryScope {
  private readonly shared = new Map<string, string>();
  private aliases = 0;

  constructor(
    readonly viewer: RequestingUser,
    /** The time for durations, `isActive` and the like. */
    readonly now: Date,
    /** Those of a statement that several scopes are parts of. */
    readonly values: unknown[] = [],
  ) {}

  /** Adds a value; returns its placeholder: `$3::uuid`. */
  param(value: unknown, cast: string): string {
    this.values.push(value);
    return `$${this.values.length}::${cast}`;
  }

  /** An alias no other table of the statement has. */
  alias(table: string): string {
    return `${table}${++this.aliases}`;
  }

  get organizationId(): string {
    return this.once('organization', this.viewer.organizationId, 'uuid');
  }

  get userId(): string {
    return this.once('user', this.viewer.userId, 'uuid');
  }

  get moment(): string {
    return this.once('now', this.now.toISOString(), 'timestamptz');
  }

  /** Teams hidden from the caller. Undefined when there are none: then nothing needs checking. */
  get hiddenTeams(): string | undefined {
    const ids = this.viewer.hiddenTeamIds;
    return ids.length === 0 ? undefined : this.once('hidden', ids, 'uuid[]');
  }

  /** Deleted teams, whose entities lists leave out. Undefined when there are none. */
  get archivedTeams(): string | undefined {
    const ids = this.viewer.archivedTeamIds;
    return ids.length === 0 ? undefined : this.once('archived', ids, 'uuid[]');
  }

  private once(name: string, value: unknown, cast: string): string {
    let place = this.shared.get(name);
    if (place === undefined) this.shared.set(name, (place = this.param(value, cast)));
    return place;
  }
}

/** All of them; `TRUE` for none. */
export function allOf(conditions: readonly (string | undefined)[]): string {
  const real = conditions.filter((condition) => condition !== undefined && condition !== 'TRUE');
  return real.length === 0 ? 'TRUE' : real.join(' AND ');
}
