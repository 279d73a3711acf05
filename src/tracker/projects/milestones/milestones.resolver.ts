import { Resolver } from '@nestjs/graphql';
import { EntityResolver, WithEntity } from '../../entity/resolver.js';
import { derived, relationsOf } from '../../graphql/relations.js';
import { progressOfMilestone, statusOfMilestone } from './milestones.queries.js';
import { ProjectMilestonesService } from './milestones.service.js';
import { type ProjectMilestone, projectMilestones } from './project-milestone.entity.js';

const { types } = projectMilestones;

/** docs/reference/tracker.md#projectmilestone. */
@Resolver(() => types.Type)
@WithEntity(
  projectMilestones,
  relationsOf<ProjectMilestone>(() => types.Type, {
    progress: derived(async ({ id }, load) => (await load.by(progressOfMilestone, id)).progress),
    status: derived(({ id }, load) => load.by(statusOfMilestone, id)),
  }),
)
export class ProjectMilestonesResolver extends EntityResolver(projectMilestones) {
  constructor(service: ProjectMilestonesService) {
    super(service);
  }
}
