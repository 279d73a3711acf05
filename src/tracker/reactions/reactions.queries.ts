import { columnsOf } from '../../kernel/database/columns.js';
import { statement } from '../../kernel/database/statement.js';
import { keyedLoader } from '../store/keyed-loader.js';
import { Reaction } from './reaction.entity.js';

/* Hand-written: those of many things at once, as a page of issues shows them. */

/** How many of a thing are shown. */
const SHOWN = 250;

/** The reactions to things of a kind, by id, oldest first. */
const reactionsOf = (owner: 'issue' | 'comment' | 'project_update' | 'initiative_update') =>
  keyedLoader<Reaction & { key: string }, Reaction[]>({
    statement: statement(
      `tracker_reactions_of_${owner}s`,
      `SELECT k.id AS key, r.* FROM unnest($1::uuid[]) AS k (id) CROSS JOIN LATERAL (
         SELECT ${columnsOf(Reaction, 'rx')} FROM tracker_reactions rx
         WHERE rx.${owner}_id = k.id AND rx.organization_id = $2::uuid ORDER BY rx.created_at, rx.id LIMIT ${SHOWN}) r
       ORDER BY r."createdAt", r.id`,
    ),
    values: (ids, viewer) => [ids, viewer.organizationId],
    answer: (rows) => rows,
  });

export const reactionsOfIssue = reactionsOf('issue');
export const reactionsOfComment = reactionsOf('comment');
export const reactionsOfProjectUpdate = reactionsOf('project_update');
export const reactionsOfInitiativeUpdate = reactionsOf('initiative_update');

/** As SQL: the reactions to a thing as JSON, for `reactionDataOf`. */
export const reactionsAsJson = (column: 'issue_id' | 'comment_id', id: string): string =>
  `(SELECT coalesce(json_agg(json_build_object('id', r.id, 'emoji', r.emoji, 'userId', r.user_id, 'createdAt', r.created_at)
      ORDER BY r.created_at, r.id), '[]') FROM tracker_reactions r WHERE r.${column} = ${id})`;
