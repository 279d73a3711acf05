import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import type { Tx } from '../../kernel/database/db.js';
import type { Viewer } from '../access/viewer.js';
import type { CreateInputOf, UpdateInputOf } from '../entity/declare.js';
import { EntityNeeds, EntityService, type Writing } from '../entity/service.js';
import { page, type PageArgs } from '../query/page.js';
import type { Loaders } from '../query/loaders.js';
import { mutate } from '../events/mutation.js';
import { invalidArgument } from '../values/errors.js';
import { Favorite, favorites, FAVORITE_TARGETS } from './favorite.entity.js';
import { lockFavorites } from './favorites.queries.js';

type Create = CreateInputOf<typeof favorites>;
const KINDS = [...Object.keys(FAVORITE_TARGETS), 'folderName', 'predefinedViewType'];
const STEP = 100;

/** Favorites (docs/reference/tracker.md#favorite): their owner's alone. */
@Injectable()
export class FavoritesService extends EntityService<typeof favorites> {
  constructor(needs: EntityNeeds) {
    super(favorites, needs);
  }

  /** By their `sortOrder`. */
  override list({ viewer, now }: Loaders, args: PageArgs) {
    const leading = {
      name: 'sortOrder',
      keys: (alias: string) => [{ sql: `${alias}.sort_order`, kind: 'number' as const, descending: false }],
    };
    return page(this.needs.db, 'Favorite', { viewer, now, args, ...(!args.orderBy && { leading }) });
  }

  /** One of a target that has one moves it, and answers it. */
  override create(viewer: Viewer, input: Create) {
    return this.answer(viewer, async (tx) => {
      const [kind, ...others] = KINDS.filter((name) => (input as Record<string, unknown>)[name] !== undefined);
      if (kind === undefined || others.length > 0) {
        const names = `${KINDS.slice(0, -1).join(', ')} or ${KINDS.at(-1)}`;
        throw invalidArgument(kind ?? 'folderName', 'exactlyOne', `Exactly one of ${names} must be defined`);
      }
      await lockFavorites(tx, viewer.userId);
      const before = kind === 'folderName' ? null : await this.present(tx, viewer, kind, input);
      if (!before) return this.insert(tx, viewer, input);
      const at = this.needs.clock.now();
      const referred = await this.refer(tx, viewer, { parentId: input.parentId });
      requireFolder(referred['parentId'] as Favorite | undefined);
      const { sortOrder, parentId } = input;
      return this.store(
        { tx, viewer, at, before, referred },
        {
          ...(sortOrder !== undefined && { sortOrder }),
          ...(parentId !== undefined && { parentId }),
        },
      );
    });
  }

  /** One that is not there is gone already. */
  override delete(viewer: Viewer, id: string) {
    return mutate(this.needs.db, viewer, async (tx) => {
      const before = await this.door.find(viewer, id, tx, 'change');
      if (!before) return { entityId: id };
      const writing = { tx, viewer, at: this.needs.clock.now(), before, referred: {} };
      await this.record(writing, 'remove', before);
      await tx.sql.delete(Favorite, { id: before.id });
      return { entityId: before.id };
    });
  }

  private async present(tx: Tx, viewer: Viewer, kind: string, input: Create): Promise<Favorite | null> {
    const referred = await this.refer(tx, viewer, input as Record<string, unknown>);
    const named = (referred[kind] as { id: string } | undefined)?.id ?? (input as Record<string, unknown>)[kind];
    const ofTeam = kind === 'predefinedViewType' && { predefinedViewTeamId: input.predefinedViewTeamId ?? IsNull() };
    const where = { ownerId: viewer.userId, [kind]: named, ...ofTeam };
    return tx.sql.findOne(Favorite, { where, lock: { mode: 'pessimistic_write' } });
  }

  /** It stands after all others, unless the input says where. */
  protected override async filled({ tx, viewer, referred }: Writing<Favorite>, { sortOrder }: Create) {
    requireFolder(referred['parentId'] as Favorite | undefined);
    const ownerId = viewer.userId;
    const last = sortOrder ?? (await tx.sql.maximum(Favorite, 'sortOrder', { ownerId }));
    return { ownerId, sortOrder: sortOrder ?? (last === null ? 0 : last + STEP) };
  }

  protected override async revised(
    { before, referred }: Writing<Favorite>,
    { folderName, parentId }: UpdateInputOf<typeof favorites>,
  ) {
    const folder = referred['parentId'] as Favorite | undefined;
    requireFolder(folder);
    if (folderName !== undefined && (folderName === null || before?.folderName === null))
      throw invalidArgument('folderName', 'isFolder', 'folderName is for folders');
    if (parentId === before?.id) throw invalidArgument('parentId', 'isFolder', 'parentId must be another folder');
    return {};
  }

  /** Their owner alone hears of them. */
  protected override hearers({ ownerId }: Favorite) {
    return { userId: ownerId };
  }
}

/** @throws invalidArgument unless it is a folder, or none */
function requireFolder(parent: Favorite | undefined): void {
  if (parent && parent.folderName === null) throw invalidArgument('parentId', 'isFolder', 'parentId must be a folder');
}
