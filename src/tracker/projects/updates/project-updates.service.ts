import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { newHex } from '../../../kernel/ids/ids.js';
import type { Viewer } from '../../access/viewer.js';
import type { CreateInputOf } from '../../entity/declare.js';
import type { Place } from '../../entity/places.js';
import { EntityNeeds, EntityService, type Writing } from '../../entity/service.js';
import { reactionDataOf } from '../../events/reaction-data.js';
import { userData } from '../../events/user-data.js';
import { Reaction } from '../../issues/reactions/reaction.entity.js';
import { User } from '../../organization/users/user.entity.js';
import { forbidden, invalidArgument } from '../../values/errors.js';
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
    if (body === undefined && health === undefined) {
      throw invalidArgument('body', 'isNotEmpty', 'body or health must be defined');
    }
    const own = { userId: viewer.userId, slugId: newHex(12), body: body ?? '' };
    if (health !== undefined) return own;
    const last = await tx.sql.findOne(ProjectUpdate, {
      where: { projectId, archivedAt: IsNull() },
      order: { createdAt: 'DESC', id: 'DESC' },
    });
    return { ...own, health: last?.health ?? 'onTrack' };
  }

  protected override async revised({ viewer, before, at }: Writing<ProjectUpdate>) {
    requireAuthor(viewer, before as ProjectUpdate);
    return { editedAt: at };
  }

  protected override async retire({ viewer }: Writing<ProjectUpdate>, update: ProjectUpdate): Promise<void> {
    requireAuthor(viewer, update);
  }

  protected override async told({ tx, viewer }: Writing<ProjectUpdate>, update: ProjectUpdate, place: Place) {
    const user = await tx.sql.findOneBy(User, { id: update.userId });
    const where = { projectUpdateId: update.id };
    const reactions = await tx.sql.find(Reaction, { where, order: { createdAt: 'ASC', id: 'ASC' } });
    const web = webFor(this.needs.publicUrl.base, viewer);
    return {
      ...projectUpdates.data(update),
      ...place.shown,
      url: this.urlOf(update, place),
      user: userData(web, viewer.urlKey, user ?? undefined),
      bodyData: '{}',
      // payloads always have one
      editedAt: update.editedAt ?? update.createdAt,
      reactionData: reactionDataOf(reactions),
    };
  }

  protected override urlOf({ slugId }: ProjectUpdate, { url }: Place): string {
    return projectUpdateUrl(url, slugId);
  }
}

/** @throws forbidden */
function requireAuthor({ userId, admin }: Viewer, update: ProjectUpdate): void {
  if (update.userId !== userId && !admin) throw forbidden('You can only change your own project updates.');
}
