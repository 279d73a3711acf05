import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { newMark } from '../../../kernel/ids/ids.js';
import type { CreateInputOf } from '../../entity/declare.js';
import type { Place } from '../../entity/places.js';
import { EntityNeeds, EntityService, type Writing } from '../../entity/service.js';
import type { Cause } from '../../events/notify.js';
import type { EventAction } from '../../events/tracker-events.js';
import { filledReport, requireAuthor, subscribed, toldOfReport } from '../../reports/report-rules.js';
import { projectUpdateUrl, webFor } from '../../values/urls.js';
import { ProjectUpdate, projectUpdates } from './project-update.entity.js';

/** Updates of projects (docs/reference/tracker.md#projectupdate). */
@Injectable()
export class ProjectUpdatesService extends EntityService<typeof projectUpdates> {
  constructor(needs: EntityNeeds) {
    super(projectUpdates, needs);
  }

  protected override async filled(
    { tx, viewer }: Writing<ProjectUpdate>,
    { projectId, body, health }: CreateInputOf<typeof projectUpdates>,
  ) {
    const last = () =>
      tx.sql.findOne(ProjectUpdate, {
        where: { projectId, archivedAt: IsNull() },
        order: { createdAt: 'DESC', id: 'DESC' },
      });
    return { userId: viewer.userId, slugId: newMark(12), ...(await filledReport({ body, health }, last)) };
  }

  protected override async revised({ viewer, before, at }: Writing<ProjectUpdate>) {
    requireAuthor(viewer, before as ProjectUpdate, 'project');
    return { editedAt: at };
  }

  protected override async retire({ viewer }: Writing<ProjectUpdate>, update: ProjectUpdate): Promise<void> {
    requireAuthor(viewer, update, 'project');
  }

  protected override async told({ tx, viewer }: Writing<ProjectUpdate>, update: ProjectUpdate, place: Place) {
    const web = webFor(this.needs.publicUrl.base, viewer);
    return {
      ...projectUpdates.data(update),
      ...place.shown,
      url: this.urlOf(update, place),
      ...(await toldOfReport(tx, web, viewer, update, { projectUpdateId: update.id })),
    };
  }

  protected override newsOf(
    { viewer, before }: Writing<ProjectUpdate>,
    action: EventAction,
    update: ProjectUpdate,
    { shown }: Place,
  ) {
    const { id, projectId, body, userId } = update;
    const created = { type: 'projectUpdateCreated' } as const;
    const causes: Cause[] = [
      { type: 'projectUpdateMention', mentionedIn: { text: body, before: before?.body ?? null } },
      ...(action === 'create' ? [{ ...created, audience: 'projectMembers' as const }] : []),
      ...(action === 'create' ? subscribed(viewer, created.type) : []),
    ];
    return {
      ids: { projectId, projectUpdateId: id },
      causes,
      shown: () => ({ ...shown, projectUpdate: { id, body, userId, ...shown } }),
    };
  }

  protected override urlOf({ slugId }: ProjectUpdate, { url }: Place): string {
    return projectUpdateUrl(url, slugId);
  }
}
