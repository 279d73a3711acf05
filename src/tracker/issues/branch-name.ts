import type { Issue } from './issue.entity.js';
import { slugOf } from '../values/slugs.js';
import type { Viewer } from '../access/viewer.js';

const SLUG_MAX = 60;

/** `Issue.branchName`: depends on the caller, so it is computed on read (docs/reference/tracker.md#issue). */
export function branchNameOf(
  issue: Pick<Issue, 'identifier' | 'title'>,
  viewer: Pick<Viewer, 'displayName' | 'gitBranchFormat'>,
): string {
  const slug = cutAtWord(slugOf(issue.title));
  const identifier = issue.identifier.toLowerCase();
  if (viewer.gitBranchFormat === null) {
    return `${viewer.displayName}/${slug === '' ? identifier : `${identifier}-${slug}`}`;
  }
  const parts: Record<string, string> = {
    '{username}': viewer.displayName,
    '{issueIdentifier}': identifier,
    '{issueTitle}': slug,
  };
  return viewer.gitBranchFormat.replace(
    /\{(?:username|issueIdentifier|issueTitle)\}/g,
    (placeholder) => parts[placeholder] as string,
  );
}

function cutAtWord(slug: string): string {
  if (slug.length <= SLUG_MAX) return slug;
  const end = slug.lastIndexOf('-', SLUG_MAX);
  return slug.slice(0, end > 0 ? end : SLUG_MAX);
}
