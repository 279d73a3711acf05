import { statement } from '../../kernel/database/statement.js';
import { pageInOrder, type Page, type PageArgs } from '../query/page.js';
import { keyedLoader } from '../store/keyed-loader.js';
import type { Loaders } from '../query/loaders.js';
import { issueConnections, type Issue } from './issue.entity.js';
import type { IssueLabel } from './labels/issue-label.entity.js';

/** By issue id, sorted. */
export const subscriberIdsOfIssue = keyedLoader<{ ids: string[] }, string[]>({
  statement: statement(
    'tracker_subscriber_ids',
    `SELECT s.issue_id AS key, array_agg(s.user_id ORDER BY s.user_id) AS ids
     FROM issue_subscribers s WHERE s.issue_id = ANY($1::uuid[]) GROUP BY 1`,
  ),
  values: (ids) => [ids],
  answer: ([row]) => row?.ids ?? [],
});

/** `Issue.labels`: from the labels' own loader where the arguments ask for no more than the first page. */
export function labelsOf(issue: Issue, load: Loaders, args: PageArgs): Promise<Page<IssueLabel>> | Page<IssueLabel> {
  const { first, includeArchived, ...others } = args;
  const isPlain = Object.values(others).every((value) => value === null || value === undefined);
  if (!isPlain || issue.labelIds.length > (first ?? 50) || (first ?? 1) < 1) {
    return load.page(issueConnections.labels, issue.id, args);
  }
  if (issue.labelIds.length === 0) return pageInOrder<IssueLabel>([], []);
  const isListed = ({ teamId }: IssueLabel) =>
    includeArchived === true || teamId === null || !load.viewer.archivedTeamIds.includes(teamId);
  return load
    .rowsById('IssueLabel', issue.labelIds)
    .then((labels) => pageInOrder(issue.labelIds, labels.filter(isListed)));
}
