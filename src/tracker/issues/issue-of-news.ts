import type { Viewer } from '../access/viewer.js';
import type { Issue } from './issue.entity.js';
import type { Team } from '../store/team.entity.js';
import { issueUrl } from '../values/urls.js';
import type { News } from '../events/notify.js';

/** An issue, as those who are told of it see it. */
export type NewsIssue = Pick<Issue, 'id' | 'identifier' | 'title' | 'teamId' | 'description'>;
type NewsTeam = Pick<Team, 'id' | 'key' | 'name'>;

/** The part of news that an issue is. */
export function issueOfNews(
  { viewer, web }: { viewer: Viewer; web: string },
  issue: NewsIssue,
  { id: teamId, key, name }: NewsTeam,
): Pick<News, 'ids' | 'teamIds' | 'url' | 'shown'> {
  const { id, identifier, title, description } = issue;
  const url = issueUrl(web, viewer.urlKey, issue);
  const team = { id: teamId, key, name };
  return {
    ids: { issueId: id },
    teamIds: [teamId],
    url,
    shown: () => ({
      issue: { id, identifier, title, url, teamId, team, ...(description !== null && { description }) },
    }),
  };
}
