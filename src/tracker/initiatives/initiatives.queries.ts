import { columnsOf } from '../../kernel/database/columns.js';
import { statement } from '../../kernel/database/statement.js';
import { keyedLoader } from '../store/keyed-loader.js';
import { InitiativeUpdate } from './updates/initiative-update.entity.js';

/* Hand-written: those of many initiatives at once. Tables of other rooms: comments. Those of updates are counted. */

/** The newest update of an initiative that is not archived, by its id. */
export const lastUpdateOfInitiative = keyedLoader<InitiativeUpdate & { key: string }, InitiativeUpdate | null>({
  statement: statement(
    'tracker_last_initiative_updates',
    `SELECT DISTINCT ON (iu.initiative_id) iu.initiative_id AS key, ${columnsOf(InitiativeUpdate, 'iu')}
     FROM initiative_updates iu
     WHERE iu.initiative_id = ANY($1::uuid[]) AND iu.organization_id = $2::uuid AND iu.archived_at IS NULL
     ORDER BY iu.initiative_id, iu.created_at DESC, iu.id DESC`,
  ),
  values: (ids, viewer) => [ids, viewer.organizationId],
  answer: ([update]) => update ?? null,
});

/** The initiative that one is below. */
export const parentOfInitiative = keyedLoader<{ parent: string }, string | null>({
  statement: statement(
    'tracker_parents_of_initiatives',
    `SELECT r.related_initiative_id AS key, r.initiative_id AS parent FROM initiative_relations r
     WHERE r.related_initiative_id = ANY($1::uuid[]) AND r.organization_id = $2::uuid`,
  ),
  values: (ids, viewer) => [ids, viewer.organizationId],
  answer: ([row]) => row?.parent ?? null,
});

export const commentCountOfInitiativeUpdate = keyedLoader<{ count: number }, number>({
  statement: statement(
    'tracker_comments_of_initiative_updates',
    `SELECT c.initiative_update_id AS key, count(*)::int AS count FROM comments c
     WHERE c.initiative_update_id = ANY($1::uuid[]) AND c.organization_id = $2::uuid GROUP BY 1`,
  ),
  values: (ids, viewer) => [ids, viewer.organizationId],
  answer: ([row]) => row?.count ?? 0,
});
