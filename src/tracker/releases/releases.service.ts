import { Injectable } from '@nestjs/common';
import { Not } from 'typeorm';
import type { Tx } from '../../kernel/database/db.js';
import { newMark, newUuid } from '../../kernel/ids/ids.js';
import type { Viewer } from '../access/viewer.js';
import type { CreateInputOf, UpdateInputOf } from '../entity/declare.js';
import { fieldChanges } from '../entity/field-history.js';
import type { Place } from '../entity/places.js';
import { EntityNeeds, type Writing } from '../entity/service.js';
import { TrashService } from '../entity/trash-service.js';
import { recordHistory } from '../issues/history/record-history.js';
import { changeIssueReleases } from '../issues/issue-releases.js';
import { page, type PageArgs } from '../query/page.js';
import { contains, pattern } from '../query/search.js';
import type { Loaders } from '../query/loaders.js';
import { brokenRule, duplicate, stageDiscrepancy } from '../values/errors.js';
import { issueUrl, releaseUrl, webFor } from '../values/urls.js';
import { ReleaseHistory } from './history/release-history.entity.js';
import { ReleasePipeline } from './pipelines/release-pipeline.entity.js';
import { type Release as Row, Release, releases } from './release.entity.js';
import { nextRelease, openIssuesOf, shownIssuesOf } from './releases.queries.js';
import { timesInStage } from './stages/default-stages.js';
import { ReleaseStage } from './stages/release-stage.entity.js';

type Create = CreateInputOf<typeof releases>;
type Update = UpdateInputOf<typeof releases>;

const TRACKED = [
  'name',
  'description',
  'version',
  'commitSha',
  'stageId',
  'startDate',
  'targetDate',
  'archivedAt',
  'trashed',
] as const;

/** Releases (docs/reference/tracker.md#release). Those of a pipeline are written one after the other. */
@Injectable()
export class ReleasesService extends TrashService<typeof releases> {
  constructor(needs: EntityNeeds) {
    super(releases, needs);
  }

  /** Those whose name or version contains the term, newest first. */
  async search({ viewer, now }: Loaders, term: string | null | undefined, args: PageArgs): Promise<Row[]> {
    const where = term
      ? (alias: string, scope: Parameters<typeof pattern>[1]) =>
          contains(alias, ['name', 'version'], pattern(term, scope))
      : undefined;
    return (await page(this.needs.db, 'Release', { viewer, now, args, ...(where && { where }) })).nodes;
  }

  /** @throws duplicate unless no other release of the pipeline has the version */
  private async requireFree(
    tx: Tx,
    { pipelineId, version, id }: Pick<Row, 'pipelineId' | 'version'> & { id?: string },
  ) {
    if (version === null) return;
    const others = await tx.sql.findBy(Release, { pipelineId, version, ...(id !== undefined && { id: Not(id) }) });
    if (others.some(({ trashed }) => trashed !== true)) throw duplicate('release version', version);
  }

  protected override async filled({ tx, viewer, at, referred }: Writing<Row>, input: Create) {
    const pipeline = referred['pipelineId'] as ReleasePipeline;
    if (pipeline.archivedAt !== null) throw brokenRule('the pipeline is archived');
    const { version = null, createdAt = at } = input;
    await this.requireFree(tx, { pipelineId: pipeline.id, version });
    const stage = (referred['stageId'] as ReleaseStage | undefined) ?? (await firstStage(tx, pipeline));
    requireUsable(stage, pipeline.id);
    return {
      ...entering(stage, { startedAt: null, startDate: null }, input, at),
      slugId: newMark(12),
      // a pipeline's tools are nobody
      creatorId: viewer.releaseKey ? null : viewer.userId,
      createdAt,
    };
  }

  protected override async revised(writing: Writing<Row>, input: Update): Promise<Partial<Row>> {
    const { tx, at, referred } = writing;
    const before = writing.before as Row;
    const { version, trashed } = input;
    const { id, pipelineId } = before;
    if (version !== undefined) await this.requireFree(tx, { pipelineId, version, id });
    else if (trashed !== undefined && trashed !== true) await this.requireFree(tx, before);
    const stage = referred['stageId'] as ReleaseStage | undefined;
    if (stage) requireUsable(stage, pipelineId);
    return {
      ...(stage && stage.id !== before.stageId && entering(stage, before, input, at)),
      ...this.trashing(writing, trashed),
    };
  }

  /** Another may have its version meanwhile. */
  protected override revive({ tx }: Writing<Row>, release: Row): Promise<void> {
    return this.requireFree(tx, release);
  }

  protected override async hold(tx: Tx, viewer: Viewer, id: string): Promise<Row> {
    const { pipelineId } = await this.door.visible(viewer, id, tx);
    await tx.sql.findOne(ReleasePipeline, { where: { id: pipelineId }, lock: { mode: 'for_no_key_update' } });
    return super.hold(tx, viewer, id);
  }

  protected override async store(writing: Writing<Row> & { before: Row }, wanted: Partial<Row>): Promise<Row> {
    const { tx, viewer, at, before } = writing;
    const row = await super.store(writing, wanted);
    const entries = fieldChanges(before, row, TRACKED);
    if (entries.length === 0) return row;
    const { organizationId } = viewer;
    const times = { createdAt: at, updatedAt: at };
    const entry = { id: newUuid(), organizationId, releaseId: row.id, entries: entries as never, ...times };
    await tx.sql.insert(ReleaseHistory, entry);
    if (row.stageId !== before.stageId) await this.rollOver(writing, row);
    return row;
  }

  protected override async told({ tx, viewer }: Writing<Row>, release: Row, place: Place) {
    const { id, name, type, color, position } = await tx.sql.findOneByOrFail(ReleaseStage, { id: release.stageId });
    const web = webFor(this.needs.publicUrl.base, viewer);
    const issues = (await shownIssuesOf(tx, release.id)).map(({ key, name: team, ...issue }) => ({
      ...issue,
      url: issueUrl(web, viewer.urlKey, issue),
      team: { id: issue.teamId, key, name: team },
    }));
    return {
      ...releases.data(release),
      ...place.shown,
      stage: { id, name, type, color, position },
      ...(issues.length > 0 && { issues }),
      url: releaseUrl(web, viewer.urlKey, release),
    };
  }

  protected override async placeOf(writing: Writing<Row>, release: Row): Promise<Place> {
    const place = await super.placeOf(writing, release);
    const { viewer } = writing;
    return { ...place, url: releaseUrl(webFor(this.needs.publicUrl.base, viewer), viewer.urlKey, release) };
  }

  /** What was not done goes to the pipeline's next release, if the pipeline says so. */
  private async rollOver({ tx, viewer, at }: Writing<Row>, { id, pipelineId, stageId }: Row): Promise<void> {
    const { type } = await tx.sql.findOneByOrFail(ReleaseStage, { id: stageId });
    const { rolloverIssuesOnCompletion } = await tx.sql.findOneByOrFail(ReleasePipeline, { id: pipelineId });
    if (type !== 'completed' || !rolloverIssuesOnCompletion) return;
    const next = await nextRelease(tx, pipelineId, id);
    if (next === undefined) return;
    const issueIds = await openIssuesOf(tx, id);
    const to = (releaseId: string) => issueIds.map((issueId) => ({ issueId, releaseId }));
    const setting = { web: webFor(this.needs.publicUrl.base, viewer), viewer, at };
    const changes = await changeIssueReleases(tx, setting, { added: to(next), removed: to(id) });
    await recordHistory(tx, viewer, at, changes);
  }
}

/** What changes on entering a stage; times that an input says stay as it says them. */
function entering(
  stage: ReleaseStage,
  before: Pick<Row, 'startedAt' | 'startDate'>,
  input: Pick<Update, 'startedAt' | 'startDate' | 'completedAt'>,
  at: Date,
) {
  const { startedAt, startDate, completedAt } = input;
  const given = Object.entries({ startedAt, startDate, completedAt }).filter(([, value]) => value !== undefined);
  return { stageId: stage.id, ...timesInStage(stage.type, before, at), ...Object.fromEntries(given) };
}

/** Where releases of a pipeline begin: finished ones in a continuous pipeline. */
async function firstStage(tx: Tx, { id: pipelineId, type }: ReleasePipeline): Promise<ReleaseStage> {
  const [stage] = (
    await tx.sql.find(ReleaseStage, {
      where: { pipelineId, type: type === 'continuous' ? 'completed' : 'started' },
      order: { position: 'ASC', id: 'ASC' },
    })
  ).filter(({ archivedAt }) => archivedAt === null);
  if (!stage) throw new Error(`pipeline ${pipelineId} has no stage to begin with`);
  return stage;
}

/** @throws stageDiscrepancy, brokenRule */
function requireUsable({ pipelineId, archivedAt }: ReleaseStage, wanted: string): void {
  if (pipelineId !== wanted) throw stageDiscrepancy();
  if (archivedAt !== null) throw brokenRule('stage is archived', 'An archived stage takes no releases.');
}
