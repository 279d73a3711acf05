import type { IdSpace } from '../../kernel/ids/id-space.js';
import { newAlphanumeric, newHex, newId, newUuid, type IdPrefix } from '../../kernel/ids/ids.js';

const CHAT_ID = /^([A-Z][a-z]?)0[0-9A-Z]{9}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Anything that may be an id inside a row's JSON. */
const IDS =
  /(?<![0-9A-Za-z])(?:[A-Z][a-z]?0[0-9A-Z]{9}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?![0-9A-Za-z])/g;

/** What the things of a sandbox are called in its copy. */
export interface Names {
  /** Everything with an id, or with another value that only one row of all sandboxes may have, is told of beforehand. */
  add(id: string | null): void;
  addUnique(value: string | null): void;
  of(id: string): string;
  /** Of a value in a renamed row that only one row of all sandboxes may have. */
  ofUnique(value: string): string;
  /** A row's JSON with the names in the copy; other text that looks like an id is kept as its callers see it. */
  rename(row: string): string;
}

/** Maps ids of a sandbox to new ones in its copy. */
export class NewNames implements Names {
  private readonly names = new Map<string, string>();

  /** @param before the sandbox's ids, if they are its own */
  constructor(private readonly before: IdSpace | null) {}

  /** Gives everything with an id in the sandbox a new id of its kind. */
  add(id: string | null): void {
    if (id === null || this.names.has(id)) return;
    const prefix = CHAT_ID.exec(id)?.[1];
    if (prefix !== undefined) this.names.set(id, newId(prefix as IdPrefix));
    else if (UUID.test(id)) this.names.set(id, newUuid());
  }

  /** The same for another value that only one row of all sandboxes may have. */
  addUnique(value: string | null): void {
    this.add(value);
    if (value === null || this.names.has(value)) return;
    this.names.set(value, /^[0-9a-f]+$/.test(value) ? newHex(value.length) : newAlphanumeric(value.length));
  }

  of(id: string): string {
    return this.names.get(id) ?? id;
  }

  ofUnique(value: string): string {
    return this.of(value);
  }

  rename(row: string): string {
    return row.replace(IDS, (id) => this.names.get(id) ?? this.before?.outside(id) ?? id);
  }
}

/** The names of a copy whose callers see the ids of the sandbox. */
export class SameNames implements Names {
  constructor(
    private readonly before: IdSpace | null,
    private readonly after: IdSpace,
  ) {}

  add(): void {
    // any id leads to its new one
  }

  addUnique(): void {
    // such values are those of one organization or workspace alone
  }

  of(id: string): string {
    return this.rename(id);
  }

  ofUnique(value: string): string {
    return value;
  }

  rename(row: string): string {
    return this.after.inside(this.before?.outside(row) ?? row);
  }
}
