import { In } from 'typeorm';
import type { Tx } from '../../kernel/database/db.js';
import { newUuid } from '../../kernel/ids/ids.js';
import type { Viewer } from '../access/viewer.js';
import type { IssueChange } from './history/issue-history.entity.js';
import { Issue } from './issue.entity.js';
import { Team } from '../store/team.entity.js';
import { issueUrl } from '../values/urls.js';
import { ADD_TO_RELEASES, REMOVE_FROM_RELEASES } from './issue-releases.queries.js';
import { trackerEvent } from '../events/tracker-events.js';

/** An issue in a release. */
export interface InRelease {
  readonly issueId: string;
  readonly releaseId: string;
}

interface Link extends InRelease {
  readonly id: string;
  readonly createdAt: Date;
}

interface Setting {
  readonly web: string;
  readonly viewer: Viewer;
  readonly at: Date;
}

/**
 * Puts issues into releases and takes others out, with events; what is so already stays as it is. Everything named is
 * there, and the caller may change it. Answers what the issues' histories say of it.
 */
export async function changeIssueReleases(
  tx: Tx,
  { web, viewer, at }: Setting,
  { added, removed }: { added: readonly InRelease[]; removed: readonly InRelease[] },
): Promise<{ issueId: string; change: IssueChange }[]> {
  const change = async (statement: typeof ADD_TO_RELEASES, links: readonly object[], ...more: unknown[]) =>
    links.length === 0 ? [] : tx.query<Link & Record<string, unknown>>(statement, [JSON.stringify(links), ...more]);
  const gone = await change(REMOVE_FROM_RELEASES, removed);
  const rows = added.map((link) => ({ ...link, id: newUuid() }));
  const come = await change(ADD_TO_RELEASES, rows, viewer.organizationId, at);
  const issueIds = [...new Set([...gone, ...come].map(({ issueId }) => issueId))];
  if (issueIds.length === 0) return [];
  const issues = new Map((await tx.sql.findBy(Issue, { id: In(issueIds) })).map((issue) => [issue.id, issue]));
  const teamIds = [...new Set([...issues.values()].map(({ teamId }) => teamId))];
  const teams = new Map((await tx.sql.findBy(Team, { id: In(teamIds) })).map((team) => [team.id, team]));
  const told = [
    ...gone.map((link) => ({ link, action: 'remove' as const })),
    ...come.map((link) => ({ link, action: 'create' as const })),
  ];
  for (const { link, action } of told) {
    const { id, issueId, releaseId, createdAt } = link;
    const issue = issues.get(issueId) as Issue;
    tx.record(
      trackerEvent({
        web,
        viewer,
        at,
        type: 'IssueToRelease',
        action,
        data: { id, createdAt, updatedAt: createdAt, issueId, releaseId },
        url: issueUrl(web, viewer.urlKey, issue),
        teams: [teams.get(issue.teamId) as Team],
      }),
    );
  }
  const idsOf = (links: readonly Link[], issueId: string): string[] =>
    links.filter((link) => link.issueId === issueId).map(({ releaseId }) => releaseId);
  return issueIds.map((issueId) => {
    const [addedToReleaseIds, removedFromReleaseIds] = [idsOf(come, issueId), idsOf(gone, issueId)];
    return {
      issueId,
      change: {
        ...(addedToReleaseIds.length > 0 && { addedToReleaseIds }),
        ...(removedFromReleaseIds.length > 0 && { removedFromReleaseIds }),
      },
    };
  });
}
