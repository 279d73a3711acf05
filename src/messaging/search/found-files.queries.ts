import type { Db } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';
import type { FileRow } from '../wire/file-wire.js';
import { FILE_COLUMNS, sqlVisibleFile } from '../wire/file-wire.queries.js';
import type { Criteria } from './candidates.queries.js';

/*
 * Hand-written: terms over name and title beside what a viewer sees; a workspace's files are few. Tables of other
 * rooms: file_shares, files. They are searched.
 */

/** Files have neither links nor reactions nor threads: a query that asks for one of these finds none. */
const FOUND = `FROM files f WHERE f.workspace_id = $1 AND f.state = 'complete' AND ${sqlVisibleFile('$2', '$3::text[]')}
  AND NOT EXISTS (SELECT FROM file_shares n WHERE n.file_id = f.id AND n.conversation_id = ANY($4::text[]))
  AND ($5::text[] IS NULL OR f.user_id = ANY($5)) AND NOT (f.user_id = ANY($6::text[]))
  AND CASE WHEN $13 AND cardinality($7::text[]) > 0
      THEN EXISTS (SELECT FROM unnest($7::text[]) t WHERE strpos(lower(f.name || ' ' || f.title), t) > 0)
      ELSE NOT EXISTS (SELECT FROM unnest($7::text[]) t WHERE strpos(lower(f.name || ' ' || f.title), t) = 0) END
  AND ($14::text[] IS NULL OR EXISTS (
    SELECT FROM file_shares y JOIN conversations c ON c.id = y.conversation_id
    WHERE y.file_id = f.id AND c.type = ANY($14) AND (c.type = 'public' OR EXISTS (
      SELECT FROM members v WHERE v.conversation_id = c.id AND v.user_id = $2))))
  AND NOT EXISTS (SELECT FROM unnest($8::text[]) t WHERE strpos(lower(f.name || ' ' || f.title), t) > 0)
  AND ($9::bigint IS NULL OR f.created_at >= $9) AND ($10::bigint IS NULL OR f.created_at < $10)
  AND NOT EXISTS (SELECT FROM unnest($11::bigint[], $12::bigint[]) t (since, until)
    WHERE f.created_at >= coalesce(t.since, f.created_at) AND (t.until IS NULL OR f.created_at < t.until))`;

const COUNT = statement('search_files_count', `SELECT count(*)::int AS total ${FOUND}`);

const page = (order: 'ASC' | 'DESC') =>
  statement(
    `search_files_${order.toLowerCase()}`,
    `SELECT ${FILE_COLUMNS} ${FOUND} ORDER BY f.created_at ${order}, f.id LIMIT $15 OFFSET $16`,
  );
const PAGES = { asc: page('ASC'), desc: page('DESC') };

/** Files that match, by the time at which they were made. */
export async function findFiles(
  db: Db,
  criteria: Criteria,
  slice: { readonly sort: 'asc' | 'desc'; readonly offset: number; readonly count: number },
): Promise<{ total: number; files: FileRow[] }> {
  if (criteria.facets.length > 0 || criteria.link === true) return { total: 0, files: [] };
  const folded = (terms: readonly string[]): string[] => terms.map((term) => term.toLowerCase());
  const wanted = [
    criteria.workspaceId,
    criteria.userId,
    criteria.conversations,
    criteria.notConversations,
    criteria.authors ?? null,
    criteria.notAuthors,
    folded(criteria.terms),
    folded(criteria.notTerms),
    criteria.from ?? null,
    criteria.to ?? null,
    criteria.notTimes.map(({ from }) => from ?? null),
    criteria.notTimes.map(({ to }) => to ?? null),
    criteria.matchesAny ?? false,
    criteria.types ?? null,
  ];
  const [counted] = await db.read<{ total: number }>(COUNT, wanted);
  const files = await db.read<FileRow & Record<string, unknown>>(PAGES[slice.sort], [
    ...wanted,
    slice.count,
    slice.offset,
  ]);
  return { total: counted?.total ?? 0, files };
}
