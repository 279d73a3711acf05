import { Injectable } from '@nestjs/common';
import type { Viewer } from '../access/viewer.js';
import type { EventAction } from '../events/tracker-events.js';
import type { EntityKey, EntityRows } from '../store/entity-rows.js';
import { mutate, type Mutated } from '../events/mutation.js';
import type { OwnedRow } from '../store/row.js';
import type { Declared } from './declare.js';
import { EntityService, type Writing } from './service.js';

/** What can go to the trash. */
interface Trashed {
  trashed: boolean | null;
  archivedAt: Date | null;
}

/** The service of an entity whose rows go to the trash, where they can be taken out again. */
@Injectable()
export abstract class TrashService<
  D extends Declared<K>,
  K extends EntityKey = D['name'],
  R extends EntityRows[K] & OwnedRow & Trashed = EntityRows[K] & OwnedRow & Trashed,
> extends EntityService<D, K, R> {
  /** Into the trash. */
  trash(viewer: Viewer, id: string): Promise<{ entity: R } & Mutated> {
    return this.put(viewer, id, trashedAt);
  }

  override unarchive(viewer: Viewer, id: string): Promise<{ entity: R } & Mutated> {
    return this.put(viewer, id, () => UNTRASHED);
  }

  private put(viewer: Viewer, id: string, wanted: (row: R, at: Date) => Partial<Trashed>) {
    return mutate(this.needs.db, viewer, async (tx) => {
      const before = await this.hold(tx, viewer, id);
      const at = this.needs.clock.now();
      const writing = { tx, viewer, at, before, referred: {} };
      const change = wanted(before, at);
      if (change.archivedAt === null) await this.revive(writing, before);
      return { entity: await this.store(writing, change as Partial<R>) };
    });
  }

  protected override async revive(_writing: Writing<R>, _row: R): Promise<void> {}

  /** What an update's `trashed` changes: anything but true takes a row out. */
  protected trashing({ at, before }: Writing<R>, trashed: boolean | null | undefined): Partial<R> {
    if (trashed === undefined || !before) return {};
    return (trashed === true ? trashedAt(before, at) : UNTRASHED) as Partial<R>;
  }

  /** Going to the trash is its end to those who are told. */
  protected override record(writing: Writing<R>, action: EventAction, row: R): Promise<void> {
    const { before } = writing;
    if (action === 'update' && before && row.trashed === true && before.trashed !== true)
      return super.record(writing, 'remove', before);
    return super.record(writing, action, row);
  }
}

const UNTRASHED: Trashed = { trashed: null, archivedAt: null };

/** One that is there already keeps its time. */
const trashedAt = ({ trashed }: Trashed, at: Date): Partial<Trashed> =>
  trashed === true ? {} : { trashed: true, archivedAt: at };
