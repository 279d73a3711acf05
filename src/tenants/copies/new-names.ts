import { newAlphanumeric, newHex, newId, newUuid, type IdPrefix } from '../../kernel/ids/ids.js';

const CHAT_ID = /^([A-Z][a-z]?)0[0-9A-Z]{9}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Anything that may be an id inside a row's JSON. */
const IDS =
  /(?<![0-9A-Za-z])(?:[A-Z][a-z]?0[0-9A-Z]{9}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?![0-9A-Za-z])/g;

/** Maps ids of a sandbox to the new ones in its copy. */
export class NewNames {
  private readonly names = new Map<string, string>();

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

  /** A row's JSON with the new ids; other text that looks like an id is kept. */
  rename(row: string): string {
    return row.replace(IDS, (id) => this.of(id));
  }
}
