import { newId, newUuid, type IdPrefix } from '../../kernel/ids/ids.js';

const CHAT_ID = /^([A-Z][a-z]?)0[0-9A-Z]{9}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Whatever may be an id inside a row's JSON, wherever it stands. */
const IDS =
  /(?<![0-9A-Za-z])(?:[A-Z][a-z]?0[0-9A-Z]{9}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?![0-9A-Za-z])/g;

/** Ids of a sandbox and the new ones that stand for them in its copy. */
export class NewNames {
  private readonly names = new Map<string, string>();

  /** What has this id in the sandbox gets a new one of its kind. */
  add(id: string | null): void {
    if (id === null || this.names.has(id)) return;
    const prefix = CHAT_ID.exec(id)?.[1];
    if (prefix !== undefined) this.names.set(id, newId(prefix as IdPrefix));
    else if (UUID.test(id)) this.names.set(id, newUuid());
  }

  of(id: string): string {
    return this.names.get(id) ?? id;
  }

  /** A row's JSON with the new ids; whatever else looks like an id stays. */
  rename(row: string): string {
    return row.replace(IDS, (id) => this.of(id));
  }
}
