import type { Tx } from '../../../kernel/database/db.js';
import { statement } from '../../../kernel/database/statement.js';
import { issueByIdentifier } from '../../access/doors.queries.js';
import { isShown } from '../../store/hidden-teams.js';
import type { Viewer } from '../../access/viewer.js';
import { ReleaseNoteRelease } from '../notes/release-note-release.entity.js';
import type { PullRequestReferenceInput } from './release-sync.inputs.js';

/* Hand-written: many references are looked up at once. */

const BY_IDENTIFIER = statement(
  'tracker_issues_by_identifiers',
  `SELECT DISTINCT i.id FROM unnest($2::text[]) AS e (identifier)
   JOIN issues i ON i.id = ${issueByIdentifier('$1::uuid', 'e.identifier')}
   WHERE ${isShown('i.team_id', '$3::uuid[]')} ORDER BY i.id`,
);

const BY_PULL_REQUEST = statement(
  'tracker_issues_by_pull_requests',
  `SELECT DISTINCT i.id FROM jsonb_to_recordset($2::jsonb) AS e ("repositoryOwner" text, "repositoryName" text, number int)
   JOIN attachments a ON a.organization_id = $1::uuid AND a.metadata->>'number' = e.number::text
     AND lower(coalesce(a.metadata->>'projectPathWithNamespace', concat(a.metadata->>'owner', '/', a.metadata->>'repo')))
       = lower(concat(e."repositoryOwner", '/', e."repositoryName"))
   JOIN issues i ON i.id = a.issue_id
   WHERE a.source_type IN ('github', 'gitlab') AND ${isShown('i.team_id', '$3::uuid[]')} ORDER BY i.id`,
);

interface Found extends Record<string, unknown> {
  readonly id: string;
}

/** Those that the caller sees; what is no issue is left out. */
export async function issuesByIdentifier(tx: Tx, viewer: Viewer, identifiers: readonly string[]): Promise<string[]> {
  if (identifiers.length === 0) return [];
  const known = identifiers.map((identifier) => identifier.toUpperCase());
  const rows = await tx.query<Found>(BY_IDENTIFIER, [viewer.organizationId, known, viewer.hiddenTeamIds]);
  return rows.map(({ id }) => id);
}

/** Those that a pull request or merge request is linked to. */
export async function issuesByPullRequest(
  tx: Tx,
  viewer: Viewer,
  requests: readonly PullRequestReferenceInput[],
): Promise<string[]> {
  if (requests.length === 0) return [];
  const values = [viewer.organizationId, JSON.stringify(requests), viewer.hiddenTeamIds];
  return (await tx.query<Found>(BY_PULL_REQUEST, values)).map(({ id }) => id);
}

/** The newest note that is of a release alone. */
export async function ownNoteOf(tx: Tx, releaseId: string): Promise<string | undefined> {
  const links = await tx.sql.find(ReleaseNoteRelease, {
    where: { releaseId },
    order: { createdAt: 'DESC', id: 'DESC' },
  });
  for (const { noteId } of links) {
    if ((await tx.sql.countBy(ReleaseNoteRelease, { noteId })) === 1) return noteId;
  }
  return undefined;
}
