import { Injectable } from '@nestjs/common';
import { Not } from 'typeorm';
import type { Tx } from '../../../kernel/database/db.js';
import { newMark, newUuid } from '../../../kernel/ids/ids.js';
import { Access } from '../../access/access.js';
import { isHiddenTeam } from '../../store/hidden-teams.js';
import type { Viewer } from '../../access/viewer.js';
import type { CreateInputOf, UpdateInputOf } from '../../entity/declare.js';
import { placeOf, type Place } from '../../entity/places.js';
import { EntityNeeds, type Writing } from '../../entity/service.js';
import { TrashService } from '../../entity/trash-service.js';
import { duplicate, unknownReference } from '../../values/errors.js';
import { webFor } from '../../values/urls.js';
import { DEFAULT_STAGES } from '../stages/default-stages.js';
import { ReleaseStage } from '../stages/release-stage.entity.js';
import { ReleasePipeline, releasePipelines } from './release-pipeline.entity.js';
import { setPipelineTeams } from './release-pipelines.queries.js';

type Create = CreateInputOf<typeof releasePipelines>;
type Update = UpdateInputOf<typeof releasePipelines>;

/** Pipelines of releases (docs/reference/tracker.md#releasepipeline). */
@Injectable()
export class ReleasePipelinesService extends TrashService<typeof releasePipelines> {
  constructor(
    needs: EntityNeeds,
    private readonly access: Access,
  ) {
    super(releasePipelines, needs);
  }

  protected override async filled({ tx, viewer }: Writing<ReleasePipeline>, { slugId }: Create) {
    if (slugId === undefined) return { slugId: newMark(12) };
    await this.requireFree(tx, viewer, slugId);
    return {};
  }

  /** Its teams, and the stages that each has. */
  protected override async added(
    { tx, viewer, at }: Writing<ReleasePipeline>,
    pipeline: ReleasePipeline,
    { teamIds = [] }: Create,
  ): Promise<void> {
    await this.setTeams(tx, viewer, pipeline, teamIds, at);
    const { id: pipelineId, organizationId } = pipeline;
    const stages = DEFAULT_STAGES.map((stage, position) => ({
      ...stage,
      id: newUuid(),
      organizationId,
      pipelineId,
      position,
      createdAt: at,
      updatedAt: at,
    }));
    await tx.sql.insert(ReleaseStage, stages);
  }

  protected override async revised(
    { tx, viewer, at, before }: Writing<ReleasePipeline>,
    { slugId, teamIds }: Update,
  ): Promise<Partial<ReleasePipeline>> {
    const pipeline = before as ReleasePipeline;
    if (slugId !== undefined && slugId !== pipeline.slugId) await this.requireFree(tx, viewer, slugId, pipeline.id);
    if (teamIds === undefined) return {};
    // teams that the caller does not see stay
    const hidden = pipeline.teamIds.filter((id) => isHiddenTeam(viewer, id));
    const wanted = [...(teamIds ?? []), ...hidden];
    if (wanted.toSorted().join() === pipeline.teamIds.join()) return {};
    await this.setTeams(tx, viewer, pipeline, wanted, at, hidden);
    return { updatedAt: at };
  }

  protected override async told(_writing: Writing<ReleasePipeline>, pipeline: ReleasePipeline) {
    return releasePipelines.data(pipeline);
  }

  protected override placeOf({ tx, viewer }: Writing<ReleasePipeline>, { id }: ReleasePipeline): Promise<Place> {
    const web = webFor(this.needs.publicUrl.base, viewer);
    return placeOf(tx, { entity: 'ReleasePipeline', id }, { web, urlKey: viewer.urlKey });
  }

  /** @throws unknownReference */
  private async setTeams(
    tx: Tx,
    viewer: Viewer,
    pipeline: ReleasePipeline,
    teamIds: readonly string[],
    at: Date,
    hidden: readonly string[] = [],
  ): Promise<void> {
    const named = teamIds.filter((id) => !hidden.includes(id));
    const seen = await this.access.teams.findMany(viewer, named, tx, 'use');
    if (seen.length < new Set(named).size) throw unknownReference('teamIds');
    if (teamIds.length + pipeline.teamIds.length === 0) return;
    const ids = teamIds.map(() => newUuid());
    await setPipelineTeams(tx, pipeline, teamIds, ids, at);
    pipeline.teamIds = teamIds.toSorted();
  }

  /** Those of an organization are named one after the other. @throws duplicate */
  private async requireFree(tx: Tx, viewer: Viewer, slugId: string, id?: string): Promise<void> {
    const { organizationId } = viewer;
    await this.access.organizationForUpdate(tx, viewer);
    const others = { organizationId, slugId, ...(id !== undefined && { id: Not(id) }) };
    if (await tx.sql.existsBy(ReleasePipeline, others)) throw duplicate('release pipeline slug', slugId);
  }
}
