import { Injectable } from '@nestjs/common';
import { IsNull, Not } from 'typeorm';
import type { Tx } from '../../../kernel/database/db.js';
import type { Viewer } from '../../access/viewer.js';
import type { CreateInputOf } from '../../entity/declare.js';
import { EntityNeeds, EntityService, type Writing } from '../../entity/service.js';
import { page, type PageArgs } from '../../query/page.js';
import type { Loaders } from '../../query/loaders.js';
import { brokenRule } from '../../values/errors.js';
import { ReleasePipeline } from '../pipelines/release-pipeline.entity.js';
import { Release } from '../release.entity.js';
import { type ReleaseStage as Row, ReleaseStage, releaseStages } from './release-stage.entity.js';

/** Stages of pipelines (docs/reference/tracker.md#releasepipeline). */
@Injectable()
export class ReleaseStagesService extends EntityService<typeof releaseStages> {
  constructor(needs: EntityNeeds) {
    super(releaseStages, needs);
  }

  /** By their position. */
  override list({ viewer, now }: Loaders, args: PageArgs) {
    const keys = (a: string) => [{ sql: `${a}.position`, kind: 'number' as const, descending: false }];
    return page(this.needs.db, 'ReleaseStage', {
      viewer,
      now,
      args,
      ...(!args.orderBy && { leading: { name: 'position', keys } }),
    });
  }

  protected override async filled(_writing: Writing<Row>, { type }: CreateInputOf<typeof releaseStages>) {
    requireStarted(type, 'a pipeline has one stage of this type');
    return {};
  }

  protected override async revised({ before }: Writing<Row>) {
    requireStarted((before as Row).type, 'only started stages can be edited');
    return {};
  }

  /** Those of a pipeline, and the releases in them, are changed one after the other. */
  protected override async hold(tx: Tx, viewer: Viewer, id: string): Promise<Row> {
    const { pipelineId } = await this.door.visible(viewer, id, tx);
    await tx.sql.findOne(ReleasePipeline, { where: { id: pipelineId }, lock: { mode: 'for_no_key_update' } });
    return super.hold(tx, viewer, id);
  }

  protected override async retire({ tx }: Writing<Row>, { id, pipelineId, type }: Row): Promise<void> {
    requireStarted(type, 'only started stages can be archived');
    if (await tx.sql.existsBy(Release, { stageId: id })) throw brokenRule('the stage has releases');
    const others = { pipelineId, type, id: Not(id), archivedAt: IsNull() };
    if (!(await tx.sql.existsBy(ReleaseStage, others))) throw brokenRule('the stage is the last started one');
  }

  protected override async revive(): Promise<void> {}
}

/** @throws brokenRule for a stage that each pipeline has once */
function requireStarted(type: string, refused: string): void {
  if (type !== 'started') throw brokenRule(refused);
}
