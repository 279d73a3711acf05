import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { newMark } from '../../../kernel/ids/ids.js';
import type { CreateInputOf } from '../../entity/declare.js';
import type { Place } from '../../entity/places.js';
import { EntityNeeds, EntityService, type Writing } from '../../entity/service.js';
import type { Cause } from '../../events/notify.js';
import type { EventAction } from '../../events/tracker-events.js';
import type { Initiative } from '../initiative.entity.js';
import { filledReport, requireAuthor, subscribed, toldOfReport } from '../../reports/report-rules.js';
import { initiativeUpdateUrl, webFor } from '../../values/urls.js';
import { InitiativeUpdate, initiativeUpdates } from './initiative-update.entity.js';

/** Updates of initiatives (docs/reference/tracker.md#initiativeupdate). */
@Injectable()
export class InitiativeUpdatesService extends EntityService<typeof initiativeUpdates> {
  constructor(needs: EntityNeeds) {
    super(initiativeUpdates, needs);
  }

  protected override async filled(
    { tx, viewer }: Writing<InitiativeUpdate>,
    { initiativeId, body, health }: CreateInputOf<typeof initiativeUpdates>,
  ) {
    const last = () =>
      tx.sql.findOne(InitiativeUpdate, {
        where: { initiativeId, archivedAt: IsNull() },
        order: { createdAt: 'DESC', id: 'DESC' },
      });
    return { userId: viewer.userId, slugId: newMark(12), ...(await filledReport({ body, health }, last)) };
  }

  protected override async revised({ viewer, before, at }: Writing<InitiativeUpdate>) {
    requireAuthor(viewer, before as InitiativeUpdate, 'initiative');
    return { editedAt: at };
  }

  protected override async retire({ viewer }: Writing<InitiativeUpdate>, update: InitiativeUpdate): Promise<void> {
    requireAuthor(viewer, update, 'initiative');
  }

  protected override async told({ tx, viewer }: Writing<InitiativeUpdate>, update: InitiativeUpdate, place: Place) {
    const web = webFor(this.needs.publicUrl.base, viewer);
    return {
      ...initiativeUpdates.data(update),
      ...place.shown,
      url: this.urlOf(update, place),
      ...(await toldOfReport(tx, web, viewer, update, { initiativeUpdateId: update.id })),
    };
  }

  protected override newsOf(
    { viewer, before, referred }: Writing<InitiativeUpdate>,
    action: EventAction,
    { id, initiativeId, body }: InitiativeUpdate,
    { shown }: Place,
  ) {
    const owner = (referred['initiativeId'] as Initiative | undefined)?.ownerId;
    const created = { type: 'initiativeUpdateCreated' } as const;
    const causes: Cause[] = [
      { type: 'initiativeUpdateMention', mentionedIn: { text: body, before: before?.body ?? null } },
      ...(action === 'create' ? [{ ...created, users: [owner] }] : []),
      ...(action === 'create' ? subscribed(viewer, created.type) : []),
    ];
    return { ids: { initiativeId, initiativeUpdateId: id }, causes, shown: () => shown };
  }

  protected override urlOf({ slugId }: InitiativeUpdate, { url }: Place): string {
    return initiativeUpdateUrl(url, slugId);
  }
}
