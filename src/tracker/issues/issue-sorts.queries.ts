import type { QueryScope } from '../store/query-scope.js';
import type { SortKey, SortOptions, SortPart } from '../store/sort-keys.js';
import { invalidArgument } from '../values/errors.js';
import { isUuid } from '../values/uuid.js';

/* Hand-written: parts of the order of issues. */

const firstLabel = (a: string, condition = 'TRUE'): SortPart => ({
  sql: `(SELECT min(lower(x.name) COLLATE "C") FROM issue_labels x WHERE x.id = ANY(${a}.label_ids) AND ${condition})`,
  kind: 'text',
  nullable: true,
});

/** The first of an issue's labels by name. */
export const labelName: SortKey = (a) => [firstLabel(a)];

/** The label that an issue has of a group. */
export const labelOfGroup: SortKey = (a, scope, { labelGroupId }) => {
  if (!isUuid(labelGroupId ?? '')) throw invalidArgument('labelGroupId', 'isUuid', 'labelGroupId must be a UUID');
  return [firstLabel(a, `x.parent_id = ${scope.param(labelGroupId, 'uuid')}`)];
};

/**
 * A key of the issue at the top of an issue's parents, which is itself where it has none; in the direction of that key
 * where none is given.
 */
export function ofRoot(
  a: string,
  scope: QueryScope,
  { sort }: SortOptions,
  sorts: Readonly<Record<string, SortKey>>,
): SortPart[] {
  const asked = Object.entries(sort ?? {}).filter((entry): entry is [string, SortOptions] => Boolean(entry[1]));
  const [first, another] = asked;
  if (!first || another) throw invalidArgument('sort', 'oneKey', 'sort must have one key only');
  const [name, options] = first;
  // the root of a root is itself
  if (name === 'rootIssue') return ofRoot(a, scope, options, sorts);
  const root = `(WITH RECURSIVE up (id, parent_id) AS (SELECT ${a}.id, ${a}.parent_id
      UNION ALL SELECT p.id, p.parent_id FROM up JOIN issues p ON p.id = up.parent_id)
    SELECT up.id FROM up WHERE up.parent_id IS NULL LIMIT 1)`;
  const parts = sorts[name]?.('root_issue', scope, options) ?? [];
  // the row itself does not hold it, so a part's `property` says nothing here
  return parts.map(({ sql, kind, nullable = false, fixed }) => ({
    kind,
    nullable,
    ...(fixed && { fixed }),
    sql: `(SELECT ${sql} FROM issues root_issue WHERE root_issue.id = ${root})`,
    inner: options,
  }));
}
