import { Injectable } from '@nestjs/common';
import { type FindOptionsWhere, Not, type QueryDeepPartialEntity } from 'typeorm';
import type { Tx } from '../../../kernel/database/db.js';
import { insertUnlessTaken } from '../../../kernel/database/insert-unless-taken.js';
import { newUuid } from '../../../kernel/ids/ids.js';
import { Door } from '../../access/access.js';
import type { Viewer } from '../../access/viewer.js';
import { EntityNeeds } from '../../entity/service.js';
import { page, type PageArgs } from '../../query/page.js';
import { differences } from '../../store/differences.js';
import type { Loaders } from '../../query/loaders.js';
import { mutate, type Mutated } from '../../events/mutation.js';
import { idAlreadyUsed, unknownReference } from '../../values/errors.js';
import { NotificationSubscription, type Target, TARGETS } from './notification-subscription.entity.js';
import type {
  NotificationSubscriptionCreateInput,
  NotificationSubscriptionUpdateInput,
} from './notifications.inputs.js';

type Answer = Promise<{ notificationSubscription: NotificationSubscription } & Mutated>;

/** What a caller subscribes to (docs/reference/tracker-notifications.md#subscriptions). */
@Injectable()
export class SubscriptionsService {
  private readonly door: Door<'NotificationSubscription'>;

  constructor(private readonly needs: EntityNeeds) {
    this.door = new Door(needs.db, 'NotificationSubscription');
  }

  /** @throws notFound */
  one(viewer: Viewer, id: string): Promise<NotificationSubscription> {
    return this.door.visible(viewer, id);
  }

  list({ viewer, now }: Loaders, args: PageArgs) {
    return page(this.needs.db, 'NotificationSubscription', { viewer, now, args });
  }

  /** Whether somebody else has an active one of a custom view. @throws notFound */
  async haveView(viewer: Viewer, id: string): Promise<{ hasSubscribers: boolean }> {
    const view = await new Door(this.needs.db, 'CustomView').visible(viewer, id);
    const where = { customViewId: view.id, subscriberId: Not(viewer.userId), active: true };
    return {
      hasSubscribers: await this.needs.db.load((entities) => entities.existsBy(NotificationSubscription, where)),
    };
  }

  /** A second one for a target is the first, with what this input says. */
  create(viewer: Viewer, { id = newUuid(), ...input }: NotificationSubscriptionCreateInput): Answer {
    const { notificationSubscriptionTypes, includeSubInitiativeUpdates, active, ...named } = input;
    const said = { notificationSubscriptionTypes, includeSubInitiativeUpdates, active };
    return mutate(this.needs.db, viewer, async (tx) => {
      const [target, targetId] = Object.entries(named)[0] as [Target, string];
      const found = await new Door(this.needs.db, TARGETS[target]).find(viewer, targetId, tx, 'use');
      if (!found) throw unknownReference(target);
      const key = { subscriberId: viewer.userId, [target]: found.id };
      const first = () => this.change(tx, key, said);
      const known = await first();
      if (known) return { notificationSubscription: known };
      const at = this.needs.clock.now();
      const { organizationId } = viewer;
      const times = { createdAt: at, updatedAt: at };
      const given = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
      const made = await insertUnlessTaken(tx, NotificationSubscription, {
        id,
        organizationId,
        ...key,
        ...given,
        ...times,
      });
      // unless the id is taken, somebody else has just made one for the target
      const row = made ?? (await first());
      if (!row) throw idAlreadyUsed('NotificationSubscription', id);
      return { notificationSubscription: row };
    });
  }

  update(viewer: Viewer, id: string, input: NotificationSubscriptionUpdateInput): Answer {
    return mutate(this.needs.db, viewer, async (tx) => {
      const { id: known } = await this.door.forUpdate(tx, viewer, id);
      const row = (await this.change(tx, { id: known }, input)) as NotificationSubscription;
      return { notificationSubscription: row };
    });
  }

  delete(viewer: Viewer, id: string): Promise<{ entityId: string } & Mutated> {
    return mutate(this.needs.db, viewer, async (tx) => {
      const { id: entityId } = await this.door.forUpdate(tx, viewer, id);
      await tx.sql.delete(NotificationSubscription, { id: entityId });
      return { entityId };
    });
  }

  /** The row that there is, as it is afterwards. */
  private async change(
    tx: Tx,
    where: FindOptionsWhere<NotificationSubscription>,
    said: Partial<NotificationSubscription>,
  ): Promise<NotificationSubscription | null> {
    const before = await tx.sql.findOne(NotificationSubscription, { where, lock: { mode: 'for_no_key_update' } });
    const change = before && differences(before, said);
    if (!before || !change || Object.keys(change).length === 0) return before;
    const values = { ...change, updatedAt: this.needs.clock.now() };
    await tx.sql.update(
      NotificationSubscription,
      { id: before.id },
      values as QueryDeepPartialEntity<NotificationSubscription>,
    );
    return { ...before, ...values };
  }
}
