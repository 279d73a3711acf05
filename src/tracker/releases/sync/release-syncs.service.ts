import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import type { Tx } from '../../../kernel/database/db.js';
import { Door } from '../../access/access.js';
import type { Viewer } from '../../access/viewer.js';
import { Document } from '../../documents/document.entity.js';
import { DocumentsService } from '../../documents/documents.service.js';
import { EntityNeeds } from '../../entity/service.js';
import { recordHistory } from '../../issues/history/record-history.js';
import { changeIssueReleases } from '../../issues/issue-releases.js';
import { EntityExternalLink } from '../../external-links/external-link.entity.js';
import { ExternalLinksService } from '../../external-links/external-links.service.js';
import { mutate, type Mutated } from '../../events/mutation.js';
import { brokenRule, notFound, unknownReference } from '../../values/errors.js';
import { webFor } from '../../values/urls.js';
import { ReleaseNotesService } from '../notes/release-notes.service.js';
import type { ReleasePipeline } from '../pipelines/release-pipeline.entity.js';
import { Release } from '../release.entity.js';
import { newestReleaseIn } from '../releases.queries.js';
import { ReleasesService } from '../releases.service.js';
import { ReleaseStage } from '../stages/release-stage.entity.js';
import type {
  ReleaseCompleteInputBase,
  ReleaseSyncInputBase,
  ReleaseUpdateByPipelineInputBase,
} from './release-sync.inputs.js';
import { issuesByIdentifier, issuesByPullRequest, ownNoteOf } from './release-syncs.queries.js';

type Texts = Pick<ReleaseSyncInputBase, 'name' | 'description' | 'documents' | 'links' | 'releaseNotes'>;

const LABEL_MAX = 255;
const SHORT_SHA = 7;

/** What a pipeline's own tools say of its releases (docs/reference/tracker.md#releasesync). */
@Injectable()
export class ReleaseSyncs {
  private readonly pipelines: Door<'ReleasePipeline'>;

  constructor(
    private readonly needs: EntityNeeds,
    private readonly releases: ReleasesService,
    private readonly notes: ReleaseNotesService,
    private readonly documents: DocumentsService,
    private readonly links: ExternalLinksService,
  ) {
    this.pipelines = new Door(needs.db, 'ReleasePipeline');
  }

  sync(viewer: Viewer, pipelineId: string, input: ReleaseSyncInputBase) {
    return this.change(viewer, pipelineId, input, async (tx, pipeline) => {
      const known = await this.synced(tx, pipeline, input);
      if (known && (await isFrozen(tx, known))) return { release: known, isLeftAlone: true };
      const release = await this.put(tx, viewer, pipeline, known, input);
      await this.putIssues(tx, viewer, release.id, input);
      return { release };
    });
  }

  complete(viewer: Viewer, pipelineId: string, input: ReleaseCompleteInputBase) {
    return this.change(viewer, pipelineId, input, async (tx, pipeline) => {
      const { id } = await this.named(tx, pipeline, input.version);
      const stage = await tx.sql.findOneByOrFail(ReleaseStage, { pipelineId: pipeline.id, type: 'completed' });
      const { commitSha } = input;
      const wanted = { ...textsOf(input), ...(commitSha !== undefined && { commitSha }), stageId: stage.id };
      return { release: await this.releases.updateIn(tx, viewer, id, wanted) };
    });
  }

  update(viewer: Viewer, pipelineId: string, input: ReleaseUpdateByPipelineInputBase) {
    return this.change(viewer, pipelineId, input, async (tx, pipeline) => {
      const { id } = await this.named(tx, pipeline, input.version);
      const stageId = input.stage === undefined ? undefined : await stageNamed(tx, pipeline.id, input.stage);
      const wanted = { ...textsOf(input), ...(stageId !== undefined && { stageId }) };
      return { release: await this.releases.updateIn(tx, viewer, id, wanted) };
    });
  }

  /** Changes of a pipeline's releases wait for each other. @throws unknownReference */
  private change(
    viewer: Viewer,
    pipelineId: string,
    texts: Texts,
    work: (tx: Tx, pipeline: ReleasePipeline) => Promise<{ release: Release; isLeftAlone?: true }>,
  ): Promise<{ release: Release } & Mutated> {
    return mutate(this.needs.db, viewer, async (tx) => {
      const pipeline = await this.pipelines.find(viewer, pipelineId, tx, 'change');
      if (!pipeline) throw unknownReference('pipelineId');
      if (pipeline.archivedAt !== null) throw brokenRule('the pipeline is archived');
      const { release, isLeftAlone } = await work(tx, pipeline);
      if (!isLeftAlone) await this.putTexts(tx, viewer, release, texts);
      return { release };
    });
  }

  /** The release that a sync is about; undefined: a new one. */
  private async synced(
    tx: Tx,
    { id: pipelineId, type }: ReleasePipeline,
    { version, commitSha }: ReleaseSyncInputBase,
  ): Promise<Release | undefined> {
    if (type === 'continuous') {
      const [bySha] = await tx.sql.find(Release, {
        where: { pipelineId, commitSha, archivedAt: IsNull() },
        order: { createdAt: 'DESC', id: 'DESC' },
      });
      const byVersion = await withVersion(tx, pipelineId, version ?? shortOf(commitSha));
      return version === undefined ? (bySha ?? byVersion) : (byVersion ?? bySha);
    }
    if (version !== undefined) return withVersion(tx, pipelineId, version);
    return releaseOf(tx, await newestReleaseIn(tx, pipelineId, ['started'], { skipsFrozen: true }));
  }

  private put(
    tx: Tx,
    viewer: Viewer,
    { id: pipelineId, type }: ReleasePipeline,
    known: Release | undefined,
    input: ReleaseSyncInputBase,
  ): Promise<Release> {
    const { commitSha, preserveStoredCommitSha } = input;
    const version = input.version ?? (type === 'continuous' ? shortOf(commitSha) : undefined);
    if (!known) {
      return this.releases.createIn(tx, viewer, {
        pipelineId,
        name: version ?? shortOf(commitSha),
        ...textsOf(input),
        commitSha,
        ...(version !== undefined && { version }),
      });
    }
    return this.releases.updateIn(tx, viewer, known.id, {
      ...textsOf(input),
      ...(input.version !== undefined && { version: input.version }),
      ...(!(preserveStoredCommitSha === true && known.commitSha !== null) && { commitSha }),
    });
  }

  private async putIssues(tx: Tx, viewer: Viewer, releaseId: string, input: ReleaseSyncInputBase): Promise<void> {
    const { issueReferences = [], revertedIssueReferences = [], pullRequestReferences = [] } = input;
    const idsOf = (references: readonly { identifier: string }[]) =>
      issuesByIdentifier(
        tx,
        viewer,
        references.map(({ identifier }) => identifier),
      );
    const named = await idsOf(issueReferences);
    const linked = await issuesByPullRequest(tx, viewer, pullRequestReferences);
    const reverted = await idsOf(revertedIssueReferences);
    const to = (ids: readonly string[]) => ids.map((issueId) => ({ issueId, releaseId }));
    const at = this.needs.clock.now();
    const changes = await changeIssueReleases(
      tx,
      { web: webFor(this.needs.publicUrl.base, viewer), viewer, at },
      {
        added: to([...new Set([...named, ...linked])].filter((id) => !reverted.includes(id)).toSorted()),
        removed: to(reverted),
      },
    );
    await recordHistory(tx, viewer, at, changes);
  }

  /** By its version, else the newest started one, else the newest planned one. @throws notFound */
  private async named(tx: Tx, { id: pipelineId }: ReleasePipeline, version: string | undefined): Promise<Release> {
    const release =
      version === undefined
        ? await releaseOf(tx, await newestReleaseIn(tx, pipelineId, ['started', 'planned']))
        : await withVersion(tx, pipelineId, version);
    if (!release) throw notFound('Release');
    return release;
  }

  /** Documents by their titles, links by their urls, and the release's own note. */
  private async putTexts(tx: Tx, viewer: Viewer, { id: releaseId, pipelineId }: Release, texts: Texts): Promise<void> {
    const { documents = [], links = [], releaseNotes } = texts;
    const titled = new Map(
      (documents.length === 0 ? [] : await tx.sql.findBy(Document, { releaseId, archivedAt: IsNull() })).map(
        ({ id, title }) => [title, id],
      ),
    );
    for (const { title, content } of documents) {
      const known = titled.get(title);
      if (known !== undefined) await this.documents.updateIn(tx, viewer, known, { content });
      else titled.set(title, (await this.documents.createIn(tx, viewer, { releaseId, title, content })).id);
    }
    const linked = new Map(
      (links.length === 0 ? [] : await tx.sql.findBy(EntityExternalLink, { releaseId })).map(({ id, url }) => [
        url,
        id,
      ]),
    );
    for (const { url, label } of links) {
      const known = linked.get(url);
      if (known === undefined) {
        const link = { releaseId, url, label: label ?? url.slice(0, LABEL_MAX) };
        linked.set(url, (await this.links.createIn(tx, viewer, link)).id);
      } else if (label !== undefined) await this.links.updateIn(tx, viewer, known, { label });
    }
    if (!releaseNotes) return;
    const { title, content } = releaseNotes;
    const note = { content, ...(title !== undefined && { title }) };
    const known = await ownNoteOf(tx, releaseId);
    if (known === undefined) await this.notes.createIn(tx, viewer, { ...note, pipelineId, releaseIds: [releaseId] });
    else await this.notes.updateIn(tx, viewer, known, note);
  }
}

const shortOf = (commitSha: string): string => commitSha.slice(0, SHORT_SHA);

const textsOf = ({ name, description }: Texts) => ({
  ...(name !== undefined && { name }),
  ...(description !== undefined && { description }),
});

async function releaseOf(tx: Tx, id: string | undefined): Promise<Release | undefined> {
  return id === undefined ? undefined : tx.sql.findOneByOrFail(Release, { id });
}

/** Not in the trash. */
async function withVersion(tx: Tx, pipelineId: string, version: string): Promise<Release | undefined> {
  return (await tx.sql.findBy(Release, { pipelineId, version })).find(({ trashed }) => trashed !== true);
}

async function isFrozen(tx: Tx, { stageId }: Release): Promise<boolean> {
  return (await tx.sql.findOneByOrFail(ReleaseStage, { id: stageId })).frozen;
}

/** @throws brokenRule */
async function stageNamed(tx: Tx, pipelineId: string, name: string): Promise<string> {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[-_]/g, ' ');
  const stages = await tx.sql.find(ReleaseStage, {
    where: { pipelineId, archivedAt: IsNull() },
    order: { position: 'ASC' },
  });
  const stage = stages.find((one) => plain(one.name) === plain(name));
  if (!stage) throw brokenRule('stage is unknown', `The pipeline has no stage "${name}".`);
  return stage.id;
}
