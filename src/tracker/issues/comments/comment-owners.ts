import { Injectable } from '@nestjs/common';
import { Db, type Tx } from '../../../kernel/database/db.js';
import { PublicUrl } from '../../../kernel/http/public-url.js';
import { Access, Door } from '../../access/access.js';
import type { Viewer } from '../../access/viewer.js';
import type { Document } from '../../documents/document.entity.js';
import { placeOf } from '../../entity/places.js';
import type { Initiative } from '../../initiatives/initiative.entity.js';
import type { InitiativeUpdate } from '../../initiatives/updates/initiative-update.entity.js';
import { Project } from '../../projects/project.entity.js';
import { ProjectTeam } from '../../projects/project-team.entity.js';
import type { EntityKey } from '../../store/entity-rows.js';
import type { Team } from '../../store/team.entity.js';
import { unknownReference } from '../../values/errors.js';
import { webFor } from '../../values/urls.js';
import type { CommentOwner } from './comment-events.js';
import { teamsById } from './comments.queries.js';

/** The thing that a comment is on: one of them is set. */
export interface OwnerIds {
  readonly issueId?: string | null | undefined;
  readonly projectId?: string | null | undefined;
  readonly projectUpdateId?: string | null | undefined;
  readonly documentContentId?: string | null | undefined;
  readonly initiativeId?: string | null | undefined;
  readonly initiativeUpdateId?: string | null | undefined;
}

/** What comments and reactions are on, for the caller's eyes. */
@Injectable()
export class CommentOwners {
  private readonly updates: Door<'ProjectUpdate'>;
  /** Things that are no issue's or project's, by their properties. */
  private readonly others: readonly [
    property: 'documentContentId' | 'initiativeId' | 'initiativeUpdateId',
    entity: EntityKey,
    door: Door<EntityKey>,
  ][];

  constructor(
    db: Db,
    private readonly access: Access,
    private readonly publicUrl: PublicUrl,
  ) {
    this.updates = new Door(db, 'ProjectUpdate');
    this.others = [
      ['documentContentId', 'Document', new Door(db, 'Document')],
      ['initiativeId', 'Initiative', new Door(db, 'Initiative')],
      ['initiativeUpdateId', 'InitiativeUpdate', new Door(db, 'InitiativeUpdate')],
    ];
  }

  /**
   * Locked against deletion until the transaction ends.
   * @throws unknownReference
   */
  async of(tx: Tx, viewer: Viewer, { issueId, projectId, projectUpdateId, ...ids }: OwnerIds): Promise<CommentOwner> {
    for (const [property, entity, door] of this.others) {
      const id = ids[property];
      if (typeof id !== 'string') continue;
      const found = await door.find(viewer, id, tx, 'use');
      if (!found) throw unknownReference(property);
      const at = { web: webFor(this.publicUrl.base, viewer), urlKey: viewer.urlKey };
      const { url, shown, teams } = await placeOf(tx, { entity, id: found.id }, at);
      return {
        row: found as Document | Initiative | InitiativeUpdate,
        url,
        shown,
        teams: await teamsById(
          tx,
          teams.map((team) => team.id),
        ),
        ids: { [property]: found.id } as { initiativeId: string },
      };
    }
    if (typeof issueId === 'string') {
      const issue = await this.access.issues.find(viewer, issueId, tx, 'use');
      if (!issue) throw unknownReference('issueId');
      return { issue, teams: (await teamsById(tx, [issue.teamId])) as [Team] };
    }
    if (typeof projectUpdateId === 'string') {
      const update = await this.updates.find(viewer, projectUpdateId, tx, 'use');
      if (!update) throw unknownReference('projectUpdateId');
      const projectOf = await tx.sql.findOneByOrFail(Project, { id: update.projectId });
      const teamIds = (await tx.sql.findBy(ProjectTeam, { projectId: update.projectId })).map(({ teamId }) => teamId);
      return { projectUpdate: update, projectOf, teams: await teamsById(tx, teamIds) };
    }
    const [project] = await this.access.projects.findMany(viewer, [projectId as string], tx, 'use');
    if (!project) throw unknownReference('projectId');
    return { project, teams: await teamsById(tx, project.teamIds) };
  }
}
