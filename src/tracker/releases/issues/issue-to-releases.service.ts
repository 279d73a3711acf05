import { Injectable } from '@nestjs/common';
import type { Viewer } from '../../access/viewer.js';
import type { CreateInputOf } from '../../entity/declare.js';
import { EntityNeeds, EntityService, type Writing } from '../../entity/service.js';
import { recordHistory } from '../../issues/history/record-history.js';
import type { EventAction } from '../../events/tracker-events.js';
import type { Issue } from '../../issues/issue.entity.js';
import { tellOfLinks } from '../../issues/issue-releases.js';
import { Door } from '../../access/access.js';
import { duplicate, notFound } from '../../values/errors.js';
import { webFor } from '../../values/urls.js';
import type { Release } from '../release.entity.js';
import { IssueToRelease, issueReleases } from './issue-to-release.entity.js';

/** Issues of releases (docs/reference/tracker.md#release). */
@Injectable()
export class IssueToReleasesService extends EntityService<typeof issueReleases> {
  private readonly issues: Door<'Issue'>;
  private readonly releases: Door<'Release'>;

  constructor(needs: EntityNeeds) {
    super(issueReleases, needs);
    this.issues = new Door(needs.db, 'Issue');
    this.releases = new Door(needs.db, 'Release');
  }

  /** @throws notFound */
  async deleteByIssueAndRelease(viewer: Viewer, issueId: string, releaseId: string) {
    const issue = await this.issues.visible(viewer, issueId);
    const release = await this.releases.visible(viewer, releaseId);
    const pair = { issueId: issue.id, releaseId: release.id };
    const link = await this.needs.db.load((entities) => entities.findOneBy(IssueToRelease, pair));
    if (!link) throw notFound('IssueToRelease');
    return this.delete(viewer, link.id);
  }

  protected override async filled(
    { tx, referred }: Writing<IssueToRelease>,
    _input: CreateInputOf<typeof issueReleases>,
  ) {
    const [issue, release] = [referred['issueId'] as Issue, referred['releaseId'] as Release];
    const pair = { issueId: issue.id, releaseId: release.id };
    if (await tx.sql.existsBy(IssueToRelease, pair)) throw duplicate('issue release', release.name);
    return {};
  }

  /** The issue gets an entry of its history. */
  protected override async record(writing: Writing<IssueToRelease>, action: EventAction, row: IssueToRelease) {
    const { tx, viewer, at } = writing;
    const { issueId, releaseId } = row;
    const change = action === 'create' ? { addedToReleaseIds: [releaseId] } : { removedFromReleaseIds: [releaseId] };
    await recordHistory(tx, viewer, at, [{ issueId, change }]);
    const web = webFor(this.needs.publicUrl.base, viewer);
    await tellOfLinks(tx, { web, viewer, at }, [{ link: row, action }]);
  }
}
