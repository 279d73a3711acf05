import { isHiddenTeam } from '../store/hidden-teams.js';
import type { Viewer } from '../access/viewer.js';
import type { InRelease } from './issue-releases.js';
import type { Issue } from './issue.entity.js';
import type { Facts, IssueFacts, ShownRelease } from './issue-facts.js';
import { checkReleases } from './issue-rules.js';
import type { IssueUpdateInput } from './issues.inputs.js';

/**
 * The releases that an update puts issues into, and those that it takes them out of; the facts are as it leaves them.
 * @throws unknownReference
 */
export function releaseChanges(
  issues: readonly Issue[],
  input: IssueUpdateInput,
  facts: Facts,
  viewer: Viewer,
): { added: InRelease[]; removed: InRelease[] } {
  const { releaseIds, addedReleaseIds = [], removedReleaseIds = [] } = input;
  const given = { releaseIds: releaseIds ?? [], addedReleaseIds, removedReleaseIds };
  for (const [field, ids] of Object.entries(given)) checkReleases(facts, ids, viewer, field);
  const isSeen = ({ teamIds }: ShownRelease): boolean => !teamIds?.every((id) => isHiddenTeam(viewer, id));
  const added: InRelease[] = [];
  const removed: InRelease[] = [];
  for (const { id: issueId } of issues) {
    const known = facts.get('issue', issueId) as IssueFacts;
    const present = known.releases.map(({ id }) => id);
    // what the caller does not see stays
    const replaced = known.releases.filter((release) => isSeen(release) && !releaseIds?.includes(release.id));
    const gone = releaseIds === undefined ? removedReleaseIds : replaced.map(({ id }) => id);
    const come = (releaseIds ?? addedReleaseIds).filter((id) => !present.includes(id) && !gone.includes(id));
    removed.push(...gone.filter((id) => present.includes(id)).map((releaseId) => ({ issueId, releaseId })));
    added.push(...come.map((releaseId) => ({ issueId, releaseId })));
    known.releases = [
      ...known.releases.filter(({ id }) => !gone.includes(id)),
      ...come.flatMap((id) => facts.get('release', id) ?? []),
    ];
  }
  return { added, removed };
}
