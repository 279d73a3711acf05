import type { Tx } from '../../../kernel/database/db.js';
import { statement } from '../../../kernel/database/statement.js';

/* Hand-written: trees of initiatives. */

/** Relations of initiatives of an organization are made one after the other, so that no two close a circle. */
const LOCK = statement('tracker_lock_initiatives', 'SELECT pg_advisory_xact_lock(7430255, hashtext($1))');

const LEVELS = statement(
  'tracker_levels_of_initiatives',
  `WITH RECURSIVE up (id, n) AS (
     SELECT $1::uuid, 1 UNION ALL
     SELECT r.initiative_id, up.n + 1 FROM up JOIN initiative_relations r ON r.related_initiative_id = up.id WHERE up.n < 100),
   down (id, n) AS (
     SELECT $2::uuid, 1 UNION ALL
     SELECT r.related_initiative_id, down.n + 1 FROM down JOIN initiative_relations r ON r.initiative_id = down.id WHERE down.n < 100)
   SELECT (SELECT max(n) FROM up)::int AS above, (SELECT max(n) FROM down)::int AS below,
     EXISTS (SELECT FROM up WHERE id = $2::uuid) AS "isCircle",
     EXISTS (SELECT FROM initiative_relations r WHERE r.related_initiative_id = $2::uuid) AS "hasParent"`,
);

/** How deep the tree would be with the one below the other, and what speaks against it. */
export interface Levels extends Record<string, unknown> {
  readonly above: number;
  readonly below: number;
  readonly isCircle: boolean;
  readonly hasParent: boolean;
}

export async function lockInitiatives(tx: Tx, organizationId: string): Promise<void> {
  await tx.query(LOCK, [organizationId]);
}

export async function levelsOf(tx: Tx, parentId: string, childId: string): Promise<Levels> {
  const [levels] = await tx.query<Levels>(LEVELS, [parentId, childId]);
  return levels as Levels;
}
