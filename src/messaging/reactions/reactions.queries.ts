import { batchStatement } from '../../kernel/database/batch-statement.js';
import { statement } from '../../kernel/database/statement.js';
import { sqlHearingColumns } from '../events/define-chat-event.js';
import { QUEUED_OF_BATCH, recordEvents } from '../events/delivery-plan.queries.js';
import { TOMBSTONE } from '../store/message.entity.js';
import { sqlFilled } from '../wire/blanks.js';
import { REACTION_RULE } from './reactions.events.js';

/* Hand-written: reactions of a whole batch, with their events and deliveries, in one statement. */

/** Most distinct names on one message. */
const MAX_NAMES = 50;

/** Most reactions of one user on one message. */
const MAX_OWN = 23;

/** `data` is the event, with a blank for the message's author; `authorless` is that of a message without one. */
const COLUMNS = {
  conversation_id: 'text',
  ts: 'bigint',
  user_id: 'text',
  name: 'text',
  type: 'text',
  data: 'text',
  authorless: 'text',
} as const;

/**
 * Reactions lock their message and not its conversation: a busy channel posts under the conversation's lock, and a
 * popular message would make every post wait for its reactions. Messages are locked in the order of their keys (no
 * deadlocks). After a lock wait the row is the newest version, but reactions are read as of before the wait. Every
 * change of reactions updates the message, so a row whose message has another version than before the wait is done
 * again.
 */
const locked = (lock: string): string => `
   seen AS MATERIALIZED (
     SELECT m.conversation_id, m.ts, m.xmin AS version FROM messages m
     WHERE (m.conversation_id, m.ts) IN (SELECT conversation_id, ts FROM req)),
   locked AS MATERIALIZED (
     SELECT m.conversation_id, m.ts, m.user_id AS author_id, m.subtype, m.xmin AS version FROM messages m
     WHERE (m.conversation_id, m.ts) IN (SELECT conversation_id, ts FROM req)
     ORDER BY m.conversation_id, m.ts ${lock}),
   ok AS MATERIALIZED (
     SELECT r.*, l.author_id, row_number() OVER on_message AS k, count(*) OVER (PARTITION BY r.conversation_id, r.ts) AS of_batch,
            row_number() OVER (PARTITION BY r.conversation_id, r.ts, r.name, r.user_id ORDER BY r.n) AS same
     FROM req r JOIN locked l ON l.conversation_id = r.conversation_id AND l.ts = r.ts
     JOIN seen s ON s.conversation_id = l.conversation_id AND s.ts = l.ts AND s.version = l.version
     WHERE l.subtype IS DISTINCT FROM '${TOMBSTONE}'
     WINDOW on_message AS (PARTITION BY r.conversation_id, r.ts ORDER BY r.n))`;

/**
 * Writes what each message shows of its reactions: names in order of first use, users in the order in which they reacted
 * (docs/reference/chat.md#reactions). @param left a FROM item with the reactions that there are now
 */
const shown = (left: string): string => `
   used AS (
     SELECT x.conversation_id, x.ts, x.name, json_agg(x.user_id ORDER BY x.position)::text AS users, count(*) AS count,
            min(x.position) AS first FROM ${left} x GROUP BY 1, 2, 3),
   shown AS (
     UPDATE messages m SET reactions = now.reactions
     FROM (
       SELECT c.conversation_id, c.ts,
              '[' || string_agg('{"name":' || to_json(u.name)::text || ',"users":' || u.users || ',"count":' || u.count || '}', ',' ORDER BY u.first) || ']' AS reactions
       FROM (SELECT DISTINCT conversation_id, ts FROM changed) c
       LEFT JOIN used u ON u.conversation_id = c.conversation_id AND u.ts = c.ts GROUP BY 1, 2) now
     WHERE m.conversation_id = now.conversation_id AND m.ts = now.ts)`;

const THERE = `SELECT x.conversation_id, x.ts, x.name, x.user_id, x.position FROM reactions x
     WHERE (x.conversation_id, x.ts) IN (SELECT conversation_id, ts FROM changed)`;

const eventParts = (kind: 'reaction_added' | 'reaction_removed'): string => `
   new_events AS (
     SELECT n, tenant_id, '${kind}' AS kind, 'conversation:' || conversation_id AS room,
            CASE WHEN author_id IS NULL THEN authorless ELSE ${sqlFilled('data', 'author', 'author_id')} END AS data, cause, shift, draw,
            conversation_id, type, ${sqlHearingColumns(REACTION_RULE)}, NULL::text AS subject_id
     FROM judged WHERE outcome = 'done'),
   ${recordEvents('new_events')}`;

const ANSWERS = `
   SELECT r.n, coalesce(j.outcome, CASE WHEN s.ts IS NOT NULL AND s.version IS DISTINCT FROM l.version THEN 'again' ELSE 'message_not_found' END) AS outcome,
          ${QUEUED_OF_BATCH}
   FROM req r LEFT JOIN judged j ON j.n = r.n
   LEFT JOIN locked l ON l.conversation_id = r.conversation_id AND l.ts = r.ts
   LEFT JOIN seen s ON s.conversation_id = r.conversation_id AND s.ts = r.ts`;

/**
 * A row that may only reach a limit because of earlier rows in its batch waits for the next batch, which knows their
 * outcome.
 */
export const ADD_REACTIONS = batchStatement(
  'reactions_add_batch',
  COLUMNS,
  (req, lock) => `WITH ${req}, ${locked(lock)},
   judged AS MATERIALIZED (
     SELECT ok.*, CASE
       WHEN ok.same > 1 THEN 'again'
       WHEN there.has_it THEN 'already_reacted'
       WHEN ok.k > 1 AND (there.names + ok.of_batch > ${MAX_NAMES} OR there.own + ok.of_batch > ${MAX_OWN}) THEN 'again'
       WHEN there.names >= ${MAX_NAMES} AND NOT there.is_named THEN 'too_many_emoji'
       WHEN there.own >= ${MAX_OWN} THEN 'too_many_reactions'
       ELSE 'done' END AS outcome
     FROM ok CROSS JOIN LATERAL (
       SELECT count(DISTINCT x.name) AS names, count(*) FILTER (WHERE x.user_id = ok.user_id) AS own,
              coalesce(bool_or(x.name = ok.name), false) AS is_named,
              coalesce(bool_or(x.name = ok.name AND x.user_id = ok.user_id), false) AS has_it
       FROM reactions x WHERE x.conversation_id = ok.conversation_id AND x.ts = ok.ts) there),
   changed AS (
     INSERT INTO reactions (conversation_id, ts, user_id, name)
     SELECT conversation_id, ts, user_id, name FROM judged WHERE outcome = 'done' ORDER BY n
     RETURNING conversation_id, ts, name, user_id, position),
   ${shown(`(${THERE} UNION ALL SELECT * FROM changed)`)},
   ${eventParts('reaction_added')}
   ${ANSWERS}`,
  { keeps: 'callers' },
);

export const REMOVE_REACTIONS = batchStatement(
  'reactions_remove_batch',
  COLUMNS,
  (req, lock) => `WITH ${req}, ${locked(lock)},
   judged AS MATERIALIZED (
     SELECT ok.*, CASE WHEN ok.same > 1 THEN 'again' WHEN x.name IS NULL THEN 'no_reaction' ELSE 'done' END AS outcome
     FROM ok LEFT JOIN reactions x
       ON x.conversation_id = ok.conversation_id AND x.ts = ok.ts AND x.name = ok.name AND x.user_id = ok.user_id),
   changed AS (
     DELETE FROM reactions x USING judged j
     WHERE j.outcome = 'done' AND x.conversation_id = j.conversation_id AND x.ts = j.ts AND x.name = j.name AND x.user_id = j.user_id
     RETURNING x.conversation_id, x.ts, x.name, x.user_id, x.position),
   ${shown(`(${THERE} AND NOT EXISTS (
     SELECT FROM changed c WHERE c.conversation_id = x.conversation_id AND c.ts = x.ts AND c.name = x.name AND c.user_id = x.user_id))`)},
   ${eventParts('reaction_removed')}
   ${ANSWERS}`,
  { keeps: 'callers' },
);

/** Many at once. Parameters: a list for each column. */
export const INSERT_REACTIONS = statement(
  'seed_reactions',
  `INSERT INTO reactions (conversation_id, ts, name, user_id) SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[])`,
);
