import { Injectable } from '@nestjs/common';
import type { FindOptionsWhere, QueryDeepPartialEntity } from 'typeorm';
import { Clock } from '../../kernel/clock/clock.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { insertUnlessTaken } from '../../kernel/database/insert-unless-taken.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { newUuid } from '../../kernel/ids/ids.js';
import { Door } from '../access/access.js';
import type { Viewer } from '../access/viewer.js';
import { type News, tell } from '../events/notify.js';
import { type EventAction, trackerEvent } from '../events/tracker-events.js';
import { page, type PageArgs } from '../query/page.js';
import { differences } from '../store/differences.js';
import type { EntityKey, EntityRows } from '../store/entity-rows.js';
import type { Loaders } from '../query/loaders.js';
import { mutate, type Mutated } from '../events/mutation.js';
import type { OwnedRow } from '../store/row.js';
import { idAlreadyUsed, teamArchived, unknownReference } from '../values/errors.js';
import type { CreateInputOf, Declared, UpdateInputOf } from './declare.js';
import { placeOf, type Place } from './places.js';
import { webFor } from '../values/urls.js';

/** What every service of an entity needs. */
@Injectable()
export class EntityNeeds {
  constructor(
    readonly db: Db,
    readonly clock: Clock,
    readonly publicUrl: PublicUrl,
  ) {}
}

/** The things that an input names, by its properties. */
export type Referred = Readonly<Record<string, EntityRows[EntityKey] | undefined>>;

/** What news say of a thing besides its place, and who tells them. */
export type OwnNews = Pick<News, 'ids' | 'causes' | 'shown'> & Partial<Pick<News, 'url'>>;

/** A write that has begun. */
export interface Writing<R> {
  readonly tx: Tx;
  readonly viewer: Viewer;
  readonly at: Date;
  /** The row as it is; absent in a create. */
  readonly before?: R;
  readonly referred: Referred;
}

/**
 * Loads, lists and writes an entity by its declaration: references are found for the caller's eyes and locked, the row
 * is written, the event recorded. An entity's own service extends it where it has rules of its own.
 */
export class EntityService<
  D extends Declared<K>,
  K extends EntityKey = D['name'],
  R extends EntityRows[K] & OwnedRow = EntityRows[K] & OwnedRow,
> {
  readonly door: Door<K>;
  private readonly doors: ReadonlyMap<string, { door: Door<EntityKey>; hold: 'use' | 'change' }>;

  constructor(
    readonly entity: D,
    protected readonly needs: EntityNeeds,
  ) {
    this.door = new Door(needs.db, entity.name);
    this.doors = new Map(
      Object.entries(entity.fields).flatMap(([property, { refersTo, options }]) =>
        refersTo ? [[property, { door: new Door(needs.db, refersTo), hold: options.hold ?? ('use' as const) }]] : [],
      ),
    );
  }

  /** @throws notFound */
  one(viewer: Viewer, id: string) {
    return this.door.visible(viewer, id);
  }

  list({ viewer, now }: Loaders, args: PageArgs) {
    return page(this.needs.db, this.entity.name, { viewer, now, args });
  }

  create(viewer: Viewer, input: CreateInputOf<D>): Promise<Record<string, unknown> & Mutated> {
    return this.answer(viewer, (tx) => this.insert(tx, viewer, input));
  }

  update(viewer: Viewer, id: string, input: UpdateInputOf<D>): Promise<Record<string, unknown> & Mutated> {
    return this.answer(viewer, (tx) => this.updateIn(tx, viewer, id, input));
  }

  /** In a transaction of something else, as is the next. */
  createIn(tx: Tx, viewer: Viewer, input: CreateInputOf<D>): Promise<R> {
    return this.insert(tx, viewer, input);
  }

  async updateIn(tx: Tx, viewer: Viewer, id: string, input: UpdateInputOf<D>): Promise<R> {
    const before = await this.hold(tx, viewer, id);
    const at = this.needs.clock.now();
    const referred = await this.refer(tx, viewer, input as Record<string, unknown>);
    const writing = { tx, viewer, at, before, referred };
    return this.store(writing, { ...this.columnsOf(input, referred), ...(await this.revised(writing, input)) });
  }

  archive(viewer: Viewer, id: string): Promise<{ entity: R } & Mutated> {
    return mutate(this.needs.db, viewer, async (tx) => {
      const before = await this.hold(tx, viewer, id);
      const at = this.needs.clock.now();
      const writing = { tx, viewer, at, before, referred: {} };
      await this.retire(writing, before);
      // one that is archived keeps its time
      const archivedAt = (before as { archivedAt?: Date | null }).archivedAt ?? at;
      return { entity: await this.store(writing, { archivedAt } as unknown as Partial<R>) };
    });
  }

  unarchive(viewer: Viewer, id: string): Promise<{ entity: R } & Mutated> {
    return mutate(this.needs.db, viewer, async (tx) => {
      const before = await this.hold(tx, viewer, id);
      const writing = { tx, viewer, at: this.needs.clock.now(), before, referred: {} };
      await this.revive(writing, before);
      return { entity: await this.store(writing, { archivedAt: null } as unknown as Partial<R>) };
    });
  }

  delete(viewer: Viewer, id: string): Promise<{ entityId: string } & Mutated> {
    return mutate(this.needs.db, viewer, async (tx) => {
      const before = await this.hold(tx, viewer, id);
      const writing = { tx, viewer, at: this.needs.clock.now(), before, referred: {} };
      await this.retire(writing, before);
      await this.record(writing, 'remove', before);
      await tx.sql.delete(this.entity.row as new () => object, { id: before.id });
      return { entityId: before.id };
    });
  }

  /** Values that the input does not say, and refusals. */
  protected async filled(_writing: Writing<R>, _input: CreateInputOf<D>): Promise<Partial<R>> {
    return {};
  }

  /** Once a row is there and nobody was told: what comes with it. */
  protected async added(_writing: Writing<R>, _row: R, _input: CreateInputOf<D>): Promise<void> {}

  /** Of an update what `filled` is of a create; `before` is the row. */
  protected async revised(_writing: Writing<R>, _input: UpdateInputOf<D>): Promise<Partial<R>> {
    return {};
  }

  /** Before a row is archived or deleted: who may, and what goes with it. */
  protected async retire(_writing: Writing<R>, _row: R): Promise<void> {}

  /** Before an archived row comes back: who may. */
  protected revive(writing: Writing<R>, row: R): Promise<void> {
    return this.retire(writing, row);
  }

  /** The row of an update, locked. @throws notFound */
  protected hold(tx: Tx, viewer: Viewer, id: string): Promise<R> {
    return this.door.forUpdate(tx, viewer, id) as Promise<R>;
  }

  /** What events say of a row: its fields, and what it belongs to. */
  protected async told(_writing: Writing<R>, row: R, place: Place): Promise<Record<string, unknown>> {
    return { ...this.entity.data(row), ...place.shown };
  }

  /** The same of the row before an update: what differs is the event's `updatedFrom`. */
  protected toldBefore(writing: Writing<R>, before: R, _after: R, place: Place): Promise<Record<string, unknown>> {
    return this.told(writing, before, place);
  }

  /** The address of a row, by that of what it belongs to. */
  protected urlOf(_row: R, place: Place): string {
    return place.url;
  }

  protected async insert(tx: Tx, viewer: Viewer, input: CreateInputOf<D>): Promise<R> {
    const at = this.needs.clock.now();
    const referred = await this.refer(tx, viewer, input as Record<string, unknown>);
    for (const [property, row] of Object.entries(referred)) requireLive(this.entity, property, row);
    const writing = { tx, viewer, at, referred };
    const id = (input as { id?: string }).id ?? newUuid();
    if ((input as { id?: string }).id !== undefined && (await this.isTaken(tx, id))) {
      throw idAlreadyUsed(this.entity.name, id);
    }
    const row = await insertUnlessTaken(tx, this.entity.row, {
      createdAt: at,
      updatedAt: at,
      ...this.columnsOf(input, referred),
      ...(await this.filled(writing, input)),
      id,
      organizationId: viewer.organizationId,
    } as unknown as Partial<EntityRows[K]>);
    // a concurrently created one
    if (!row) throw idAlreadyUsed(this.entity.name, id);
    await this.added(writing, row as R, input);
    await this.record(writing, 'create', row as R);
    return row as R;
  }

  /** Writes what differs, with an event; the row as it is afterwards. */
  protected async store(writing: Writing<R> & { before: R }, wanted: Partial<R>): Promise<R> {
    const { tx, at, before } = writing;
    const change = differences(before, wanted);
    if (Object.keys(change).length === 0) return before;
    const values = { ...change, updatedAt: at };
    const where = { id: before.id } as FindOptionsWhere<object>;
    await tx.sql.update(this.entity.row as new () => object, where, values as QueryDeepPartialEntity<object>);
    const row = { ...before, ...values };
    await this.record(writing, 'update', row);
    return row;
  }

  /** Whom events of a row are for; by default all who see what it belongs to. */
  protected hearers(_row: R): { userId?: string } {
    return {};
  }

  protected async record(writing: Writing<R>, action: EventAction, row: R): Promise<void> {
    const { tx, viewer, at, before } = writing;
    const web = webFor(this.needs.publicUrl.base, viewer);
    const place = await this.placeOf(writing, row);
    const news = this.newsOf(writing, action, row, place);
    if (news) await tell(tx, [{ viewer, web, at, url: place.url, teamIds: place.teams.map(({ id }) => id), ...news }]);
    tx.record(
      trackerEvent({
        web,
        viewer,
        at,
        type: this.entity.name,
        action,
        data: await this.told(writing, row, place),
        previous: action === 'update' && before ? await this.toldBefore(writing, before, row, place) : undefined,
        url: this.urlOf(row, place),
        teams: place.teams as { id: string; private: boolean }[],
        ...this.hearers(row),
      }),
    );
  }

  /** What a change is to others (docs/reference/tracker-notifications.md#causes); undefined: nothing. */
  protected newsOf(_writing: Writing<R>, _action: EventAction, _row: R, _place: Place): OwnNews | undefined {
    return undefined;
  }

  /** What a row belongs to. */
  protected placeOf({ tx, viewer }: Writing<R>, row: R): Promise<Place> {
    const idOf = ({ property }: { property: string }) => (row as unknown as Record<string, string | null>)[property];
    const owner = this.entity.owners.find((one) => idOf(one) !== null);
    const id = owner && idOf(owner);
    return placeOf(tx, owner && id ? { entity: owner.entity, id } : undefined, {
      web: webFor(this.needs.publicUrl.base, viewer),
      urlKey: viewer.urlKey,
    });
  }

  /**
   * What an input names, as the caller sees it, locked against deletion.
   * @throws unknownReference
   */
  protected async refer(tx: Tx, viewer: Viewer, input: Record<string, unknown>): Promise<Referred> {
    const found: Record<string, EntityRows[EntityKey] | undefined> = {};
    for (const [property, { door, hold }] of this.doors) {
      const id = input[property];
      if (typeof id !== 'string') continue;
      found[property] = await door.find(viewer, id, tx, hold);
      if (!found[property]) throw unknownReference(property);
    }
    return found;
  }

  /** The columns that an input sets. It may name an issue by its identifier. */
  protected columnsOf(input: object, referred: Referred): Partial<R> {
    const { fields } = this.entity;
    const columns = Object.entries(input).filter(([property]) => !fields[property]?.isInput);
    const ids = Object.entries(referred).map(([property, row]) => [property, (row as { id: string }).id]);
    return { ...Object.fromEntries(columns), ...Object.fromEntries(ids) } as Partial<R>;
  }

  private isTaken(tx: Tx, id: string): Promise<boolean> {
    return tx.sql.existsBy(this.entity.row as unknown as new () => { id: string }, { id });
  }

  protected answer(viewer: Viewer, work: (tx: Tx) => Promise<R>): Promise<Record<string, unknown> & Mutated> {
    return mutate(this.needs.db, viewer, async (tx) => ({ [this.entity.payloadKey]: await work(tx) }));
  }
}

/** Nothing is created in a deleted team. */
function requireLive(entity: Declared, property: string, row: object | undefined): void {
  if (entity.fields[property]?.refersTo !== 'Team' || !row) return;
  const { archivedAt, key } = row as { archivedAt: Date | null; key: string };
  if (archivedAt !== null) throw teamArchived(key);
}
