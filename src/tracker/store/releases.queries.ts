import type { SortKey } from './sort-keys.js';

/*
 * Hand-written: a part of the order of issues. Tables of other rooms: issue_to_releases, releases. Issues, which are
 * below releases, are put in order by them.
 */

/** The first of an issue's releases by name. */
export const releaseName: SortKey = (a) => [
  {
    sql: `(SELECT min(lower(r.name) COLLATE "C") FROM issue_to_releases x JOIN releases r ON r.id = x.release_id
      WHERE x.issue_id = ${a}.id AND r.archived_at IS NULL)`,
    kind: 'text',
    nullable: true,
  },
];
