import { columnsOf } from '../../kernel/database/columns.js';
import type { Tx } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';
import { isShown } from '../store/hidden-teams.js';
import type { Viewer } from '../access/viewer.js';
import { entityOf } from '../store/define-entity.js';
import type { Label, LabelKind } from './label-kind.js';

/* Hand-written: names are compared by the expression of their index, and labels are replaced on all things at once. */

const appliedTo = (table: string) =>
  statement(
    `tracker_${table}_applied`,
    `UPDATE ${table} l SET last_applied_at = $2::timestamptz
     FROM (SELECT x.id FROM ${table} x WHERE x.id = ANY($1::uuid[]) ORDER BY x.id FOR NO KEY UPDATE) held
     WHERE l.id = held.id`,
  );
const APPLIED = { project_labels: appliedTo('project_labels'), initiative_labels: appliedTo('initiative_labels') };

/** Says of labels that they were put on something. They are locked in the order of ids, as everywhere. */
export async function labelsApplied(
  tx: Tx,
  table: keyof typeof APPLIED,
  ids: readonly string[],
  at: Date,
): Promise<void> {
  if (ids.length > 0) await tx.query(APPLIED[table], [ids, at]);
}

/** The statements about labels of one kind. */
export class LabelStatements {
  private readonly teamLabelsNamed;
  private readonly inTheWay;
  private readonly onThings;
  private readonly takeOff;

  constructor({ name, row, on, isTeamless }: LabelKind) {
    const { table } = entityOf(name);
    const teamId = isTeamless ? 'NULL::uuid' : 'l.team_id';
    this.teamLabelsNamed = statement(
      `tracker_team_${table}_named`,
      `SELECT ${columnsOf(row, 'l')} FROM ${table} l
       WHERE l.organization_id = $1::uuid AND ${isShown(teamId, '$3::uuid[]')} AND lower(l.name) = lower($2) ORDER BY l.id FOR UPDATE`,
    );
    this.inTheWay = statement(
      `tracker_${table}_in_the_way`,
      `SELECT l.name, ${teamId} AS "teamId", t.name AS "teamName" FROM ${table} l LEFT JOIN teams t ON t.id = ${teamId}
       WHERE l.organization_id = $1::uuid AND lower(l.name) = lower($2) AND l.id <> $4::uuid
         AND ($3::uuid IS NULL OR ${teamId} IS NULL OR ${teamId} = $3::uuid)
       ORDER BY ${teamId} NULLS FIRST LIMIT 1`,
    );
    this.onThings = statement(
      `tracker_${table}_in_use`,
      `SELECT 1 FROM ${on} i WHERE i.organization_id = $2::uuid AND i.label_ids @> ARRAY[$1::uuid] LIMIT 1`,
    );
    this.takeOff = statement(
      `tracker_${table}_off`,
      `UPDATE ${on} SET updated_at = $4::timestamptz, label_ids = CASE
         WHEN $2::uuid IS NULL OR label_ids @> ARRAY[$2::uuid] THEN array_remove(label_ids, $1::uuid)
         ELSE array_replace(label_ids, $1::uuid, $2::uuid) END
       WHERE organization_id = $3::uuid AND label_ids @> ARRAY[$1::uuid]`,
    );
  }

  /** The labels of this name in teams, case-insensitively, locked; without private teams the caller is not in. */
  holdTeamLabels(tx: Tx, viewer: Viewer, name: string): Promise<Label[]> {
    const values = [viewer.organizationId, name, viewer.hiddenTeamIds];
    return tx.query<Label & { [column: string]: unknown }>(this.teamLabelsNamed, values);
  }

  /** Another label with this name in its scope; for a workspace label the scope includes all teams. */
  async labelInTheWay(
    tx: Tx,
    viewer: Viewer,
    { name, teamId, id }: { name: string; teamId: string | null; id: string },
  ): Promise<{ name: string; teamId: string | null; teamName: string | null } | undefined> {
    const [other] = await tx.query<{ name: string; teamId: string | null; teamName: string | null }>(this.inTheWay, [
      viewer.organizationId,
      name,
      teamId,
      id,
    ]);
    return other;
  }

  /** Whether it is on an issue, or whatever labels of its kind are on. */
  async isInUse(tx: Tx, { id, organizationId }: Label): Promise<boolean> {
    return (await tx.query(this.onThings, [id, organizationId])).length > 0;
  }

  /**
   * Removes a label from all issues, or replaces it. The issues change without an event
   * (docs/reference/tracker-webhooks.md#what-fires).
   */
  async takeOffAll(tx: Tx, { id, organizationId }: Label, replacement: string | null, at: Date): Promise<void> {
    await tx.query(this.takeOff, [id, replacement, organizationId, at]);
  }
}
