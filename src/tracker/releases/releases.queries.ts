import { columnsOf } from '../../kernel/database/columns.js';
import type { Tx } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';
import { isShown } from '../store/hidden-teams.js';
import { keyedLoader } from '../store/keyed-loader.js';
import { ReleaseNote } from './notes/release-note.entity.js';
import type { StageType } from './stages/default-stages.js';

/* Hand-written: those of many releases at once, and look-ups by the types of stages. */

/** How many notes a plain list shows. */
const SHOWN = 250;

/** The notes that are of a release, newest first. */
export const notesOfRelease = keyedLoader<ReleaseNote & { key: string }, ReleaseNote[]>({
  statement: statement(
    'tracker_notes_of_releases',
    `SELECT k.id AS key, r.* FROM unnest($1::uuid[]) AS k (id) CROSS JOIN LATERAL (
       SELECT ${columnsOf(ReleaseNote, 'n')} FROM release_note_releases l JOIN release_notes n ON n.id = l.note_id
       WHERE l.release_id = k.id AND l.organization_id = $2::uuid
       ORDER BY n.created_at DESC, n.id DESC LIMIT ${SHOWN}) r
     ORDER BY r."createdAt" DESC, r.id DESC`,
  ),
  values: (ids, viewer) => [ids, viewer.organizationId],
  answer: (notes) => notes,
});

interface Counts {
  readonly all: number;
  readonly live: number;
}

/** By release: all issues that the caller sees, and those not archived. */
export const issueCountsOfRelease = keyedLoader<Counts & Record<string, unknown>, Counts>({
  statement: statement(
    'tracker_issue_counts_of_releases',
    `SELECT l.release_id AS key, count(*)::int AS "all", count(*) FILTER (WHERE i.archived_at IS NULL)::int AS live
     FROM issue_to_releases l JOIN issues i ON i.id = l.issue_id
     WHERE l.release_id = ANY($1::uuid[]) AND l.organization_id = $2::uuid AND ${isShown('i.team_id', '$3::uuid[]')} GROUP BY 1`,
  ),
  values: (ids, viewer) => [ids, viewer.organizationId, viewer.hiddenTeamIds],
  answer: ([counts]) => counts ?? { all: 0, live: 0 },
});

const NEWEST_IN = statement(
  'tracker_newest_release_in_stages',
  `SELECT r.id FROM releases r JOIN release_stages s ON s.id = r.stage_id
   WHERE r.pipeline_id = $1::uuid AND r.archived_at IS NULL AND s.type = ANY($2::text[]) AND NOT (s.frozen AND $3::boolean)
   ORDER BY array_position($2::text[], s.type), r.created_at DESC, r.id DESC LIMIT 1`,
);
const NEXT = statement(
  'tracker_next_release',
  `SELECT r.id FROM releases r JOIN release_stages s ON s.id = r.stage_id
   WHERE r.pipeline_id = $1::uuid AND r.id <> $2::uuid AND r.archived_at IS NULL AND s.type IN ('planned', 'started')
   ORDER BY s.type = 'started' DESC, r.target_date, r.created_at, r.id LIMIT 1`,
);
const OPEN_ISSUES = statement(
  'tracker_open_issues_of_release',
  `SELECT l.issue_id AS id FROM issue_to_releases l JOIN issues i ON i.id = l.issue_id JOIN workflow_states w ON w.id = i.state_id
   WHERE l.release_id = $1::uuid AND i.archived_at IS NULL AND w.type NOT IN ('completed', 'canceled', 'duplicate')
   ORDER BY l.issue_id`,
);

const SHOWN_ISSUES = statement(
  'tracker_shown_issues_of_release',
  `SELECT i.id, i.identifier, i.title, t.id AS "teamId", t.key, t.name FROM issue_to_releases l
   JOIN issues i ON i.id = l.issue_id JOIN teams t ON t.id = i.team_id
   WHERE l.release_id = $1::uuid AND i.archived_at IS NULL AND NOT t.private ORDER BY i.created_at DESC, i.id DESC LIMIT ${SHOWN}`,
);

interface Found extends Record<string, unknown> {
  readonly id: string;
}

/** The newest release in a stage of the first of these types that has one. @param skipsFrozen not in a frozen stage */
export async function newestReleaseIn(
  tx: Tx,
  pipelineId: string,
  types: readonly StageType[],
  { skipsFrozen }: { skipsFrozen: boolean } = { skipsFrozen: false },
): Promise<string | undefined> {
  return (await tx.query<Found>(NEWEST_IN, [pipelineId, types, skipsFrozen]))[0]?.id;
}

/** Where a release's open issues go: started ones are next, then planned ones by their target dates. */
export async function nextRelease(tx: Tx, pipelineId: string, releaseId: string): Promise<string | undefined> {
  return (await tx.query<Found>(NEXT, [pipelineId, releaseId]))[0]?.id;
}

export interface ShownIssue extends Record<string, unknown> {
  readonly id: string;
  readonly identifier: string;
  readonly title: string;
  readonly teamId: string;
  /** Of its team. */
  readonly key: string;
  readonly name: string;
}

/** The newest issues of a release that whoever hears of the release may know: not those of private teams. */
export const shownIssuesOf = (tx: Tx, releaseId: string): Promise<ShownIssue[]> =>
  tx.query<ShownIssue>(SHOWN_ISSUES, [releaseId]);

export async function openIssuesOf(tx: Tx, releaseId: string): Promise<string[]> {
  return (await tx.query<Found>(OPEN_ISSUES, [releaseId])).map(({ id }) => id);
}
