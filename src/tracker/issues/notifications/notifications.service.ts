import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../kernel/database/db.js';
import { Door } from '../../access/access.js';
import type { Viewer } from '../../access/viewer.js';
import { EntityNeeds } from '../../entity/service.js';
import { trackerEvent } from '../../events/tracker-events.js';
import { page, type PageArgs } from '../../query/page.js';
import { entityOf } from '../../store/define-entity.js';
import type { EntityKey } from '../../store/entity-rows.js';
import type { Loaders } from '../../query/loaders.js';
import { mutate, type Mutated } from '../../events/mutation.js';
import { unknownReference } from '../../values/errors.js';
import { organizationUrl, webFor } from '../../values/urls.js';
import { asOf, Notification } from './notification.entity.js';
import { isNewestInInbox } from './notifications.conditions.queries.js';
import type { ABOUT, NotificationEntityInput } from './notifications.inputs.js';
import { changing, type Common, type Deed, UNREAD, WAKE } from './notifications.queries.js';

/** What to do with notifications: as of a moment, or of now; null takes it back. */
export type Deeds = Partial<Record<Deed, Date | 'now' | null>>;

/** How notifications are found by what they are about. */
const about: Readonly<Record<(typeof ABOUT)[number], { entity?: EntityKey; by: Common }>> = {
  issueId: { entity: 'Issue', by: 'thing_id' },
  projectId: { entity: 'Project', by: 'thing_id' },
  initiativeId: { entity: 'Initiative', by: 'thing_id' },
  projectUpdateId: { entity: 'ProjectUpdate', by: 'project_update_id' },
  initiativeUpdateId: { entity: 'InitiativeUpdate', by: 'initiative_update_id' },
  // there are no such requests
  oauthClientApprovalId: { by: 'id' },
};

/** A caller's notifications (docs/reference/tracker-notifications.md#notifications). */
@Injectable()
export class NotificationsService {
  private readonly door: Door<'Notification'>;

  constructor(private readonly needs: EntityNeeds) {
    this.door = new Door(needs.db, 'Notification');
  }

  /** @throws notFound */
  async one({ viewer, now }: Loaders, id: string): Promise<Notification> {
    return asOf(await this.door.visible(viewer, id), now);
  }

  async list({ viewer, now }: Loaders, args: PageArgs) {
    return (await page(this.needs.db, 'Notification', { viewer, now, args })).map((row) => asOf(row, now));
  }

  /** The newest of each thing, without what is archived and snoozed. */
  async inbox({ viewer, now }: Loaders, { unreadOnly, ...args }: PageArgs & { unreadOnly?: boolean | null }) {
    const where = isNewestInInbox(unreadOnly === true);
    return (await page(this.needs.db, 'Notification', { viewer, now, args, where })).map((row) => asOf(row, now));
  }

  async unread({ viewer, now }: Loaders): Promise<number> {
    const { userId, organizationId, hiddenTeamIds } = viewer;
    const seen = entityOf('Notification').access?.condition('nt', '$4::uuid[]') as string;
    const values = [userId, now, organizationId, hiddenTeamIds];
    const [row] = await this.needs.db.read<{ count: number }>(UNREAD(seen), values);
    return row?.count ?? 0;
  }

  /** @throws notFound */
  update(viewer: Viewer, id: string, deeds: Deeds): Promise<{ row: Notification; changed: Notification[] } & Mutated> {
    return this.change(viewer, id, 'id', deeds);
  }

  /** The same of all that are about the thing of one. @throws notFound */
  updateGroup(viewer: Viewer, id: string, deeds: Deeds) {
    return this.change(viewer, id, 'group', deeds);
  }

  /** All that are about what the input names, but what is archived. @throws notFound, unknownReference */
  updateAll(
    viewer: Viewer,
    { id, ...named }: NotificationEntityInput,
    deeds: Deeds,
  ): Promise<{ changed: Notification[] } & Mutated> {
    return mutate(this.needs.db, viewer, async (tx) => {
      const changed = await (id === undefined
        ? this.changeAbout(tx, viewer, named, deeds)
        : this.set(tx, viewer, 'group', (await this.door.visible(viewer, id, tx)).id, deeds));
      return { changed };
    });
  }

  private change(viewer: Viewer, id: string, by: 'id' | 'group', deeds: Deeds) {
    return mutate(this.needs.db, viewer, async (tx) => {
      const before = await this.door.forUpdate(tx, viewer, id);
      const changed = await this.set(tx, viewer, by, before.id, deeds);
      const row = changed.find((one) => one.id === before.id) ?? asOf(before, this.needs.clock.now());
      return { row, changed };
    });
  }

  private async changeAbout(
    tx: Tx,
    viewer: Viewer,
    named: Omit<NotificationEntityInput, 'id'>,
    deeds: Deeds,
  ): Promise<Notification[]> {
    const [property, id] = Object.entries(named)[0] as [(typeof ABOUT)[number], string];
    const { entity, by } = about[property];
    const found = entity && (await new Door(this.needs.db, entity).find(viewer, id, tx));
    if (!found) throw unknownReference(property);
    return this.set(tx, viewer, by, found.id, deeds);
  }

  /** Those that changed, newest first: a user's own, after what the clock has done to them. */
  private async set(tx: Tx, viewer: Viewer, by: Common, id: string, deeds: Deeds): Promise<Notification[]> {
    const at = this.needs.clock.now();
    const { userId } = viewer;
    const web = webFor(this.needs.publicUrl.base, viewer);
    recordChanges(tx, { viewer, web, at }, await tx.query<Row>(WAKE, [userId, at]));
    const changed = new Map<string, Notification>();
    for (const [deed, moment] of Object.entries(deeds)) {
      const rows = await tx.query<Row>(changing(deed as Deed, by), [userId, id, moment === 'now' ? at : moment, at]);
      for (const row of rows) changed.set(row.id, row);
    }
    const rows = [...changed.values()].toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
    recordChanges(tx, { viewer, web, at }, rows);
    return rows;
  }
}

type Row = Notification & { [column: string]: unknown };

/** What sockets of their owner hear (docs/reference/realtime.md#tracker). */
export function recordChanges(
  tx: Tx,
  { viewer, web, at }: { viewer: Viewer; web: string; at: Date },
  rows: readonly Notification[],
): void {
  for (const row of rows) {
    const { organizationId: _, subscriptionIds: _ids, thingId: _thing, ...data } = row;
    const url = organizationUrl(web, viewer.urlKey);
    tx.record(trackerEvent({ viewer, web, at, type: 'Notification', action: 'update', data, url, userId: row.userId }));
  }
}
