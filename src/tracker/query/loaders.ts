import { Injectable } from '@nestjs/common';
import DataLoader from 'dataloader';
import type { QueryResultRow } from 'pg';
import type { Viewer } from '../access/viewer.js';
import { Clock } from '../../kernel/clock/clock.js';
import { coalesce } from '../../kernel/database/coalesce.js';
import { Db } from '../../kernel/database/db.js';
import type { ConnectionSpec } from '../store/connections.js';
import { pagesByParent, type Page, type PageArgs } from './page.js';
import { type RowReader } from '../store/hidden-teams.js';
import { entityOf } from '../store/define-entity.js';
import type { EntityKey, EntityRows } from '../store/entity-rows.js';
import type { KeyedLoader } from '../store/keyed-loader.js';
import { loadStatement } from './load-rows.queries.js';
import { hidesNothing, isRowHidden } from '../store/hidden-teams.js';

/** A row of an organization, as a loader is asked for it. */
interface RowKey {
  entity: EntityKey;
  organizationId: string;
  id: string;
}

/**
 * The loaders of one request: each loads one kind of thing, batched and cached while the request lasts. Null stands for
 * a deleted object, and for one that the caller may not see. Rows may be shared with other requests: read only.
 */
export class Loaders implements RowReader {
  private readonly rows = new Map<EntityKey, DataLoader<string, object | null>>();
  private readonly keyed = new Map<KeyedLoader<never, unknown>, DataLoader<string, unknown>>();
  private readonly pages = new Map<string, DataLoader<string, Page<object>>>();

  /** @internal `RequestLoading.forRequest` makes them. */
  constructor(
    private readonly source: RequestLoading,
    readonly viewer: Viewer,
    /** One time for everything derived from it in an answer. */
    readonly now: Date,
  ) {}

  /** The row of an id, as the caller sees it; null for a null id. */
  row<K extends EntityKey>(entity: K, id: string | null): Promise<EntityRows[K] | null> | null {
    return id === null ? null : this.rowsOf(entity).load(id);
  }

  /** Those that the caller sees, in the order of their ids. @throws when the store fails */
  async rowsById<K extends EntityKey>(entity: K, ids: readonly string[]): Promise<EntityRows[K][]> {
    const rows = await Promise.all(ids.map((id) => this.rowsOf(entity).load(id)));
    return rows.filter((row) => row !== null);
  }

  /** The result of a family's loader for a key. */
  by<R extends QueryResultRow, A>(loader: KeyedLoader<R, A>, key: string): Promise<A> {
    let made = this.keyed.get(loader);
    if (!made) {
      made = new DataLoader<string, unknown>(async (keys) => {
        const rows = await this.source.db.read<R>(loader.statement, loader.values(keys, this.viewer, this.now));
        const byKey = new Map<unknown, R[]>();
        for (const row of rows) byKey.set(row['key'], [...(byKey.get(row['key']) ?? []), row]);
        return keys.map((wanted) => loader.answer(byKey.get(wanted) ?? []));
      });
      this.keyed.set(loader, made);
    }
    return made.load(key) as Promise<A>;
  }

  /** A connection of an object: one statement for all parents that select it with the same arguments. */
  page<K extends EntityKey>(
    connection: ConnectionSpec<K>,
    parentId: string,
    args: PageArgs,
  ): Promise<Page<EntityRows[K]>> {
    const key = `${connection.name} ${JSON.stringify(args)}`;
    let loader = this.pages.get(key);
    if (!loader) {
      const { viewer, now } = this;
      loader = new DataLoader<string, Page<object>>(async (ids) => {
        const pages = await pagesByParent(this.source.db, connection, ids, { viewer, now, args });
        return ids.map((id) => pages.get(id) as Page<object>);
      });
      this.pages.set(key, loader);
    }
    return loader.load(parentId) as Promise<Page<EntityRows[K]>>;
  }

  private rowsOf<K extends EntityKey>(entity: K): DataLoader<string, EntityRows[K] | null> {
    let loader = this.rows.get(entity);
    if (!loader) {
      loader = new DataLoader<string, object | null>(async (ids) => {
        const { organizationId } = this.viewer;
        const rows = await Promise.all(ids.map((id) => this.source.load({ entity, organizationId, id })));
        const showsAll = hidesNothing(this.viewer) && entityOf(entity).ownedBy === undefined;
        return showsAll ? rows : Promise.all(rows.map((row) => this.ifVisible(entity, row)));
      });
      this.rows.set(entity, loader);
    }
    return loader as DataLoader<string, EntityRows[K] | null>;
  }

  /** Null for rows in a private team without the caller, and for what is somebody else's own. */
  private async ifVisible(entity: EntityKey, row: object | null): Promise<object | null> {
    return row && (await isRowHidden(entityOf(entity), row, this.viewer, this)) ? null : row;
  }
}

/**
 * Makes the loaders of requests. Look-ups by id, of all kinds and of all running requests, are one statement: what a
 * page of issues refers to costs one round trip, not one per relation.
 */
@Injectable()
export class RequestLoading {
  constructor(
    readonly db: Db,
    private readonly clock: Clock,
  ) {}

  forRequest(viewer: Viewer): Loaders {
    return new Loaders(this, viewer, this.clock.now());
  }

  /** @internal A row of this organization, independent of the caller. */
  readonly load: (key: RowKey) => Promise<object | null> = coalesce(
    async (keys: RowKey[]) => {
      const asked = new Map<EntityKey, Map<string, RowKey>>();
      for (const key of keys) {
        let ofKind = asked.get(key.entity);
        if (!ofKind) asked.set(key.entity, (ofKind = new Map()));
        ofKind.set(key.organizationId + key.id, key);
      }
      const kinds = [...asked.keys()].sort();
      const values = kinds.flatMap((kind) => {
        const wanted = [...(asked.get(kind) as Map<string, RowKey>).values()];
        return [wanted.map((key) => key.organizationId), wanted.map((key) => key.id)];
      });
      const found = new Map<string, object>();
      for (const { kind, row } of await this.db.read<{ kind: EntityKey; row: string }>(loadStatement(kinds), values)) {
        const made = rowFromJson(kind, row);
        found.set(kind + made.organizationId + made.id, made);
      }
      return keys.map(({ entity, organizationId, id }) => found.get(entity + organizationId + id) ?? null);
    },
    { name: 'rows.load', max: 4_000 },
  );
}

function rowFromJson(kind: EntityKey, text: string): { organizationId: string; id: string } {
  const row = JSON.parse(text) as Record<string, unknown> & { organizationId: string; id: string };
  for (const moment of entityOf(kind).moments) {
    const value = row[moment];
    if (typeof value === 'string') row[moment] = new Date(value);
  }
  return row;
}
