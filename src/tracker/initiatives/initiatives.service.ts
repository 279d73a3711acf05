import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import type { Tx } from '../../kernel/database/db.js';
import { newMark } from '../../kernel/ids/ids.js';
import { Door } from '../access/access.js';
import type { Viewer } from '../access/viewer.js';
import type { CreateInputOf, UpdateInputOf } from '../entity/declare.js';
import type { Place } from '../entity/places.js';
import { EntityNeeds, type Writing } from '../entity/service.js';
import { TrashService } from '../entity/trash-service.js';
import type { EventAction } from '../events/tracker-events.js';
import { userData } from '../events/user-data.js';
import { User } from '../store/user.entity.js';
import { unknownReference } from '../values/errors.js';
import { initiativeUrl, webFor } from '../values/urls.js';
import { recordInitiativeHistory } from './history/initiative-history.js';
import { Initiative, initiatives, timesIn } from './initiative.entity.js';
import { labelled } from './labels/initiative-labelling.js';
import { InitiativeRelation } from './relations/initiative-relation.entity.js';
import { InitiativeUpdate } from './updates/initiative-update.entity.js';

type Update = UpdateInputOf<typeof initiatives>;
const STEP = 100;

/** Initiatives (docs/reference/tracker.md#initiative). */
@Injectable()
export class InitiativesService extends TrashService<typeof initiatives> {
  private readonly labels: Door<'InitiativeLabel'>;

  constructor(needs: EntityNeeds) {
    super(initiatives, needs);
    this.labels = new Door(needs.db, 'InitiativeLabel');
  }

  /** Into the trash, where it can be taken out again. */
  override async delete(viewer: Viewer, id: string) {
    const { entity, ...mutated } = await this.trash(viewer, id);
    return { entityId: entity.id, ...mutated };
  }

  addLabel(viewer: Viewer, id: string, labelId: string) {
    return this.answer(viewer, async (tx) => {
      const before = await this.hold(tx, viewer, id);
      const writing = { tx, viewer, at: this.needs.clock.now(), before, referred: {} };
      const wanted = { ids: [...before.labelIds, await this.labelId(tx, viewer, labelId)], field: 'labelId' };
      return this.store(writing, { labelIds: await labelled(writing, this.labels, before.labelIds, wanted) });
    });
  }

  removeLabel(viewer: Viewer, id: string, labelId: string) {
    return this.answer(viewer, async (tx) => {
      const before = await this.hold(tx, viewer, id);
      const gone = await this.labelId(tx, viewer, labelId);
      const writing = { tx, viewer, at: this.needs.clock.now(), before, referred: {} };
      return this.store(writing, { labelIds: before.labelIds.filter((one) => one !== gone) });
    });
  }

  private async labelId(tx: Tx, viewer: Viewer, id: string): Promise<string> {
    const label = await this.labels.find(viewer, id, tx);
    if (!label) throw unknownReference('labelId');
    return label.id;
  }

  protected override async filled(
    writing: Writing<Initiative>,
    { status, sortOrder, prioritySortOrder, labelIds }: CreateInputOf<typeof initiatives>,
  ) {
    const { tx, viewer, at } = writing;
    return {
      ...(labelIds && { labelIds: await labelled(writing, this.labels, [], { ids: labelIds, field: 'labelIds' }) }),
      slugId: newMark(12),
      creatorId: viewer.userId,
      sortOrder: sortOrder ?? (await nextOrder(tx, viewer, 'sortOrder')),
      prioritySortOrder: prioritySortOrder ?? (await nextOrder(tx, viewer, 'prioritySortOrder')),
      ...timesIn(status ?? 'Planned', at),
    };
  }

  protected override async revised(writing: Writing<Initiative>, { status, trashed, labelIds }: Update) {
    const { at } = writing;
    const initiative = writing.before as Initiative;
    const wanted = labelIds && { ids: labelIds, field: 'labelIds' };
    return {
      ...(wanted && { labelIds: await labelled(writing, this.labels, initiative.labelIds, wanted) }),
      ...(status !== undefined && status !== initiative.status && timesIn(status, at)),
      ...this.trashing(writing, trashed),
    };
  }

  protected override async store(writing: Writing<Initiative> & { before: Initiative }, wanted: Partial<Initiative>) {
    const row = await super.store(writing, wanted);
    await recordInitiativeHistory(writing, row);
    return row;
  }

  protected override newsOf(
    { before }: Writing<Initiative>,
    action: EventAction,
    { id: initiativeId, ownerId }: Initiative,
  ) {
    if (action === 'remove' || ownerId === (before?.ownerId ?? null)) return undefined;
    const causes = [{ type: 'initiativeAddedAsOwner' as const, users: [ownerId] }];
    return { ids: { initiativeId }, causes, shown: () => ({}) };
  }

  protected override async told({ tx, viewer }: Writing<Initiative>, initiative: Initiative) {
    const web = webFor(this.needs.publicUrl.base, viewer);
    const { id, ownerId, creatorId, slugId, name } = initiative;
    const person = async (userId: string | null) =>
      userId === null
        ? undefined
        : userData(web, viewer.urlKey, (await tx.sql.findOneBy(User, { id: userId })) ?? undefined);
    const relation = await tx.sql.findOneBy(InitiativeRelation, { relatedInitiativeId: id });
    const parent = relation && (await tx.sql.findOneBy(Initiative, { id: relation.initiativeId }));
    const last = await tx.sql.findOne(InitiativeUpdate, {
      where: { initiativeId: id, archivedAt: IsNull() },
      order: { createdAt: 'DESC', id: 'DESC' },
    });
    return {
      ...initiatives.data(initiative),
      organizationId: viewer.organizationId,
      // payloads always have one
      description: initiative.description ?? '',
      url: initiativeUrl(web, viewer.urlKey, { name, slugId }),
      owner: await person(ownerId),
      creator: await person(creatorId),
      parentInitiative: parent
        ? { id: parent.id, name: parent.name, url: initiativeUrl(web, viewer.urlKey, parent) }
        : undefined,
      lastUpdateId: last?.id,
      health: last?.health,
      healthUpdatedAt: last?.createdAt,
    };
  }

  protected override urlOf(initiative: Initiative, { url }: Place): string {
    // an organization's url ends with its key
    return initiativeUrl(url, undefined, initiative);
  }
}

/** Before all others; the first is at 0. */
async function nextOrder(
  tx: Tx,
  { organizationId }: Viewer,
  order: 'sortOrder' | 'prioritySortOrder',
): Promise<number> {
  const least = await tx.sql.minimum(Initiative, order, { organizationId });
  return least === null ? 0 : least - STEP;
}
