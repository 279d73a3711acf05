import { Injectable } from '@nestjs/common';
import type { CreateInputOf, UpdateInputOf } from '../../entity/declare.js';
import { EntityNeeds, EntityService, type Writing } from '../../entity/service.js';
import type { Loaders } from '../../query/loaders.js';
import { page, type PageArgs } from '../../query/page.js';
import { lastMilestone, leaveMilestone } from './milestones.queries.js';
import { ProjectMilestone, projectMilestones } from './project-milestone.entity.js';

const STEP = 100;

/** Milestones of projects (docs/reference/tracker.md#projectmilestone). */
@Injectable()
export class ProjectMilestonesService extends EntityService<typeof projectMilestones> {
  constructor(needs: EntityNeeds) {
    super(projectMilestones, needs);
  }

  /** By their `sortOrder`. */
  override list({ viewer, now }: Loaders, args: PageArgs) {
    const keys = (alias: string) => [{ sql: `${alias}.sort_order`, kind: 'number' as const, descending: false }];
    const leading = { name: 'sortOrder', keys };
    return page(this.needs.db, 'ProjectMilestone', { viewer, now, args, ...(!args.orderBy && { leading }) });
  }

  protected override async filled({ tx }: Writing<ProjectMilestone>, input: CreateInputOf<typeof projectMilestones>) {
    if (input.sortOrder !== undefined) return {};
    return { sortOrder: (await lastMilestone(tx, input.projectId)) + STEP };
  }

  protected override async revised(
    { tx, at, before }: Writing<ProjectMilestone>,
    { projectId }: UpdateInputOf<typeof projectMilestones>,
  ) {
    const { id, projectId: from } = before as ProjectMilestone;
    if (projectId !== undefined && projectId !== from) await leaveMilestone(tx, id, at);
    return {};
  }

  protected override async retire({ tx, at }: Writing<ProjectMilestone>, { id }: ProjectMilestone): Promise<void> {
    await leaveMilestone(tx, id, at);
  }
}
