import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../kernel/database/db.js';
import type { Viewer } from '../../access/viewer.js';
import type { CreateInputOf } from '../../entity/declare.js';
import type { Place } from '../../entity/places.js';
import { EntityNeeds, EntityService, type Writing } from '../../entity/service.js';
import { placeOf } from '../../entity/places.js';
import { brokenRule, invalidArgument, unknownReference } from '../../values/errors.js';
import { ProjectMilestone } from '../milestones/project-milestone.entity.js';
import { ProjectRelation, projectRelationships } from './project-relation.entity.js';
import { webFor } from '../../values/urls.js';

type Create = CreateInputOf<typeof projectRelationships>;

/** Relations of projects (docs/reference/tracker.md#projectrelation). */
@Injectable()
export class ProjectRelationsService extends EntityService<typeof projectRelationships> {
  constructor(needs: EntityNeeds) {
    super(projectRelationships, needs);
  }

  /** Sets type and anchors of the relation that the projects have in this direction, if they have one. */
  override create(viewer: Viewer, input: Create) {
    return this.answer(viewer, async (tx) => {
      const referred = await this.refer(tx, viewer, input);
      const { projectId, relatedProjectId } = input;
      const before = await tx.sql.findOneBy(ProjectRelation, { projectId, relatedProjectId });
      if (!before) return this.insert(tx, viewer, input);
      const { id: _, ...wanted } = this.columnsOf(input, referred);
      await requireAnchors(tx, { ...before, ...wanted });
      return this.store({ tx, viewer, at: this.needs.clock.now(), referred, before }, wanted);
    });
  }

  protected override async filled({ tx, viewer }: Writing<ProjectRelation>, input: Create) {
    await requireAnchors(tx, input);
    return { userId: viewer.userId };
  }

  protected override async revised({ tx, before }: Writing<ProjectRelation>, input: Partial<ProjectRelation>) {
    const wanted = { ...(before as ProjectRelation), ...input };
    await requireAnchors(tx, wanted);
    const { projectId, relatedProjectId } = wanted;
    const other = await tx.sql.findOneBy(ProjectRelation, { projectId, relatedProjectId });
    if (other && other.id !== wanted.id) throw brokenRule('the projects are related already');
    return {};
  }

  /** Only those who see both projects hear of it. */
  protected override async placeOf(writing: Writing<ProjectRelation>, row: ProjectRelation): Promise<Place> {
    const place = await super.placeOf(writing, row);
    const at = { web: webFor(this.needs.publicUrl.base, writing.viewer), urlKey: writing.viewer.urlKey };
    const related = await placeOf(writing.tx, { entity: 'Project', id: row.relatedProjectId }, at);
    const hidden = [place, related].find(({ teams }) => teams.every((team) => team.private));
    return { ...place, shown: {}, teams: hidden?.teams ?? [...place.teams, ...related.teams] };
  }
}

interface Ends {
  projectId: string;
  relatedProjectId: string;
  anchorType: string;
  relatedAnchorType: string;
  projectMilestoneId?: string | null;
  relatedProjectMilestoneId?: string | null;
}

/** @throws invalidArgument, brokenRule, unknownReference */
async function requireAnchors(tx: Tx, ends: Ends): Promise<void> {
  if (ends.projectId === ends.relatedProjectId) throw brokenRule('a project cannot be related to itself');
  const anchors = [
    [ends.anchorType, 'projectMilestoneId', ends.projectMilestoneId, ends.projectId],
    [ends.relatedAnchorType, 'relatedProjectMilestoneId', ends.relatedProjectMilestoneId, ends.relatedProjectId],
  ] as const;
  for (const [anchor, property, id, projectId] of anchors) {
    if (anchor !== 'milestone') continue;
    if (!id) throw invalidArgument(property, 'isDefined', `${property} should not be null or undefined`);
    if (!(await tx.sql.existsBy(ProjectMilestone, { id, projectId }))) throw unknownReference(property);
  }
}
