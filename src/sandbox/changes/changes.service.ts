import { Inject, Injectable } from '@nestjs/common';
import { LongWork } from '../../kernel/clock/long-work.js';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { Db } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import type { NameOf, SandboxEntity, StoredRow } from '../../kernel/sandbox/sandbox-entities.js';
import { SandboxViews } from '../../kernel/sandbox/sandbox-views.js';
import { Snapshots } from '../snapshots/snapshots.service.js';
import { CHANGES, PRESENT, REFS_OF, type RefRow } from './changes.queries.js';

export type Class = 'added' | 'changed' | 'removed';
export const CLASSES: readonly Class[] = ['added', 'changed', 'removed'];

export type Shown = Readonly<Record<string, unknown>>;

/** The changes of one kind of object. */
export interface EntityChanges {
  readonly added: Shown[];
  readonly changed: Shown[];
  readonly removed: Shown[];
  /** The total, including those beyond the limit. */
  readonly counts: Record<Class, number>;
}

interface ChangeRow extends Record<string, unknown> {
  table: string;
  class: Class;
  total: number;
  before: StoredRow | null;
  after: StoredRow | null;
}

/** The net changes since a snapshot, from the rows themselves (docs/reference/sandboxes.md#changes-and-assertions). */
@Injectable()
export class Changes {
  constructor(
    private readonly db: Db,
    private readonly views: SandboxViews,
    private readonly snapshots: Snapshots,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {}

  /** The kinds that a test can assert on. */
  get entities(): string[] {
    return [...new Set(this.views.entities.map(({ name }) => name))];
  }

  /**
   * @param since id or name of a snapshot, or `baseline`
   * @param most the most of each kind and class
   * @throws RestError 404 snapshot_not_found
   */
  async since(tenantId: number, since: string, most: number): Promise<Map<string, EntityChanges>> {
    const epoch = await this.snapshots.epochOf(tenantId, since);
    const { entities } = this.views;
    const tables = Object.fromEntries(entities.map(({ table, follows }) => [table, follows ?? []]));
    const rows = await this.db.read<ChangeRow>(CHANGES, [tenantId, epoch, JSON.stringify(tables), most]);
    const nameOf = await this.names(tenantId, rows);
    const found = new Map<string, EntityChanges>();
    for (const entity of entities) {
      const known = found.get(entity.name) ?? {
        added: [],
        changed: [],
        removed: [],
        counts: { added: 0, changed: 0, removed: 0 },
      };
      found.set(entity.name, known);
      const own = rows.filter(({ table }) => table === entity.table);
      gather(entity, own, nameOf, known, most);
    }
    await this.addRefs(
      tenantId,
      [...found].flatMap(([entity, changes]) => CLASSES.map((each) => ({ entity, list: changes[each] }))),
    );
    return found;
  }

  /**
   * All objects of some kinds that there are now, whenever they came; a deleted issue or project is not there.
   * @throws RestError 409 sandbox_too_large
   */
  async present(tenantId: number, kinds: readonly string[]): Promise<Map<string, Shown[]>> {
    const entities = this.views.entities.filter(({ name }) => kinds.includes(name));
    const tables = [...new Set(entities.map(({ table }) => table))];
    const most = this.settings.snapshotMaxRows;
    const read = await this.db.write(
      (tx) => tx.query<{ table: string; value: string }>(PRESENT, [tenantId, tables, most + 1]),
      {
        keeps: 'everything',
      },
    );
    if (read.length > most) throw new RestError(409, 'sandbox_too_large');
    const work = new LongWork();
    const rows: { table: string; row: StoredRow }[] = [];
    for (const { table, value } of read) {
      await work.pause();
      const row = JSON.parse(value) as StoredRow;
      if (row['trashed'] !== true) rows.push({ table, row });
    }
    const nameOf = await this.names(
      tenantId,
      rows.map(({ row }) => ({ before: null, after: row })),
    );
    const found = new Map<string, Shown[]>(kinds.map((kind) => [kind, []]));
    for (const { name, table, show, isMerged } of entities) {
      const list = found.get(name) as Shown[];
      const known = new Set<unknown>();
      for (const { table: of, row } of rows) {
        await work.pause();
        const shown = of === table ? show(row, nameOf) : null;
        if (!shown || (isMerged && known.has(shown['id']))) continue;
        known.add(shown['id']);
        list.push(shown);
      }
    }
    await this.addRefs(
      tenantId,
      [...found].map(([entity, list]) => ({ entity, list })),
    );
    return found;
  }

  /** Names of everything that a row refers to: the current name, or the last one of a deleted object. */
  private async names(tenantId: number, rows: readonly Pick<ChangeRow, 'before' | 'after'>[]): Promise<NameOf> {
    const ids = new Set<string>();
    const own = new Map<string, string>();
    for (const { before, after } of rows) {
      for (const row of [before, after]) if (row) collectIds(row, ids, own);
    }
    const names = await this.views.names(tenantId, [...ids]);
    return (id) => (typeof id === 'string' ? (names.get(id) ?? own.get(id)) : undefined);
  }

  /** Adds what documents called the changed objects. */
  private async addRefs(tenantId: number, lists: readonly { entity: string; list: Shown[] }[]): Promise<void> {
    const keys = new Set(lists.flatMap(({ entity, list }) => list.map((shown) => refKey(entity, shown).at(-1))));
    if (keys.size === 0) return;
    const rows = await this.db.read<RefRow>(REFS_OF, [tenantId, [...keys]]);
    if (rows.length === 0) return;
    const refs = new Map(rows.map(({ ref, thing: { id, channel, ts } }) => [id ?? `${channel} ${ts}`, ref]));
    for (const { entity, list } of lists) {
      for (const [at, shown] of list.entries()) {
        const ref = refs.get(refKey(entity, shown).join(' '));
        if (ref !== undefined) list[at] = { ...shown, ref };
      }
    }
  }
}

function collectIds(row: StoredRow, ids: Set<string>, own: Map<string, string>): void {
  for (const [key, value] of Object.entries(row)) {
    if (key.endsWith('_id') && typeof value === 'string') ids.add(value);
    else if (key.endsWith('_ids') && Array.isArray(value)) for (const id of value) ids.add(String(id));
  }
  const name = row['key'] ?? row['name'] ?? row['identifier'];
  if (typeof row['id'] === 'string' && typeof name === 'string') own.set(row['id'], name);
}

function gather(
  entity: SandboxEntity,
  rows: readonly ChangeRow[],
  nameOf: NameOf,
  found: EntityChanges,
  most: number,
): void {
  const beyond: Record<Class, number> = { added: 0, changed: 0, removed: 0 };
  const seen: Record<Class, number> = { added: 0, changed: 0, removed: 0 };
  for (const row of rows) {
    beyond[row.class] = row.total;
    seen[row.class]++;
    const before = row.before && entity.show(row.before, nameOf);
    const after = row.after && entity.show(row.after, nameOf);
    if (entity.isMerged && isKnown(found, before, after)) continue;
    if (before && after) {
      const fields = differing(before, after, entity.quiet ?? []);
      if (fields.length > 0) put(found, 'changed', { ...idOf(after), before, after, fields }, most);
    } else if (after) put(found, 'added', after, most);
    else if (before) put(found, 'removed', before, most);
  }
  // changes that were not read are counted all the same
  for (const each of CLASSES) found.counts[each] += beyond[each] - seen[each];
}

/** Whether another row of a merged object was met: of one that came and one that went nothing is left. */
function isKnown({ added, removed, counts }: EntityChanges, before: Shown | null, after: Shown | null): boolean {
  if ((before === null) === (after === null)) return false;
  const has = ({ id }: Shown): boolean => id === (after ?? before)?.['id'];
  if ((after ? added : removed).some(has)) return true;
  const [others, into] = after ? [removed, 'removed' as const] : [added, 'added' as const];
  const at = others.findIndex(has);
  if (at < 0) return false;
  others.splice(at, 1);
  counts[into]--;
  return true;
}

function put(found: EntityChanges, into: Class, shown: Shown, most: number): void {
  found.counts[into]++;
  if (found[into].length < most) found[into].push(shown);
}

/** An object without an id of its own is identified by its ts. */
const idOf = ({ id, ts, channel, channel_name: name }: Shown): Shown =>
  id !== undefined
    ? { id }
    : { id: ts, ...(channel !== undefined && { channel }), ...(name !== undefined && { channel_name: name }) };

/** By what a ref names an object: a message by channel and ts, everything else by its id. */
export const refKey = (entity: string, { id, ts, channel }: Shown): string[] =>
  entity === 'message' ? [String(channel), String(id ?? ts)] : [String(id)];

/** The fields that differ; an id is left out when its name is shown. */
function differing(before: Shown, after: Shown, quiet: readonly string[]): string[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((key) => !quiet.includes(key));
  const changed = keys.filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]));
  const isNamed = (key: string): boolean =>
    (key.endsWith('Id') && changed.includes(key.slice(0, -2))) || (key === 'labelIds' && changed.includes('labels'));
  return changed.filter((key) => !isNamed(key));
}
