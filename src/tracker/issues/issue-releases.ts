import { In } from 'typeorm';
import type { Tx } from '../../kernel/database/db.js';
import { newUuid } from '../../kernel/ids/ids.js';
import type { Viewer } from '../access/viewer.js';
import type { IssueChange } from './history/issue-history.entity.js';
import { Issue } from './issue.entity.js';
import { Team } from '../store/team.entity.js';
import { issueUrl } from '../values/urls.js';
import { ADD_TO_RELEASES, REMOVE_FROM_RELEASES, TEAMS_OF_RELEASES } from './issue-releases.queries.js';
import { trackerEvent, type EventAction, type TrackerChange } from '../events/tracker-events.js';

/** An issue in a release. */
export interface InRelease {
  readonly issueId: string;
  readonly releaseId: string;
}

export interface Link extends InRelease {
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
  setting: Setting,
  { added, removed }: { added: readonly InRelease[]; removed: readonly InRelease[] },
): Promise<{ issueId: string; change: IssueChange }[]> {
  const change = async (statement: typeof ADD_TO_RELEASES, links: readonly object[], ...more: unknown[]) =>
    links.length === 0 ? [] : tx.query<Link & Record<string, unknown>>(statement, [JSON.stringify(links), ...more]);
  const gone = await change(REMOVE_FROM_RELEASES, removed);
  const rows = added.map((link) => ({ ...link, id: newUuid() }));
  const come = await change(ADD_TO_RELEASES, rows, setting.viewer.organizationId, setting.at);
  const issueIds = [...new Set([...gone, ...come].map(({ issueId }) => issueId))];
  if (issueIds.length === 0) return [];
  await tellOfLinks(tx, setting, [
    ...gone.map((link) => ({ link, action: 'remove' as const })),
    ...come.map((link) => ({ link, action: 'create' as const })),
  ]);
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

/** Records the events of links that were made or are gone. */
export async function tellOfLinks(
  tx: Tx,
  { web, viewer, at }: Setting,
  told: readonly { link: Link; action: EventAction }[],
): Promise<void> {
  const all = <K extends keyof InRelease>(key: K): string[] => [...new Set(told.map(({ link }) => link[key]))];
  const issues = await tx.sql.findBy(Issue, { id: In(all('issueId')) });
  const teams = await tx.sql.findBy(Team, { id: In([...new Set(issues.map(({ teamId }) => teamId))]) });
  const ofPipelines = await tx.query<PipelineTeam & Record<string, unknown>>(TEAMS_OF_RELEASES, [all('releaseId')]);
  for (const { link, action } of told) {
    const { id, issueId, releaseId, createdAt } = link;
    const issue = issues.find((one) => one.id === issueId) as Issue;
    const team = teams.find((one) => one.id === issue.teamId) as Team;
    const pipelineTeams = ofPipelines.filter((one) => one.releaseId === releaseId);
    tx.record(
      trackerEvent({
        web,
        viewer,
        at,
        type: 'IssueToRelease',
        action,
        data: { id, createdAt, updatedAt: createdAt, issueId, releaseId },
        url: issueUrl(web, viewer.urlKey, issue),
        ...hearersOf(team, pipelineTeams, viewer),
      }),
    );
  }
}

interface PipelineTeam {
  readonly releaseId: string;
  readonly id: string;
  readonly private: boolean;
}

/** Who hears of a link: those who see both ends; where no team says who these are, who made it. */
function hearersOf(
  team: Team,
  pipelineTeams: readonly PipelineTeam[],
  { userId }: Viewer,
): Pick<TrackerChange, 'teams' | 'userId'> {
  const isHidden = pipelineTeams.length > 0 && pipelineTeams.every((one) => one.private);
  if (!isHidden) return { teams: [team] };
  if (!team.private) return { teams: pipelineTeams };
  return pipelineTeams.some(({ id }) => id === team.id) ? { teams: [team] } : { teams: [team], userId };
}
