import { sqlPermalink } from './permalink.js';

/*
 * Hand-written: a message is put together in the database, so that pages pass through unparsed. Tables of other rooms:
 * thread_repliers. Messages are put together below the room that stores them.
 */

/** SQL for a ts as on the wire: 16 digits with a dot after the tenth (docs/reference/chat.md#timestamps). */
export const sqlTs = (micros: string): string => `overlay((${micros})::text placing '.' from 11 for 0)`;

/** Sixteen digits of microseconds do not change length before the year 2286. */
const threadFields = (m: string, viewer: string, read: string): string => `
  ',"thread_ts":"' || ${sqlTs(`${m}.ts`)} || '","reply_count":' || ${m}.reply_count
  || ',"reply_users_count":' || ${m}.reply_users_count || ',"latest_reply":"' || ${sqlTs(`${m}.latest_reply`)}
  || '","reply_users":' || array_to_json(${m}.reply_users)::text || ',"is_locked":false,'
  || CASE WHEN ${m}.user_id = ANY(${viewer}) OR EXISTS (
       SELECT FROM thread_repliers r
       WHERE r.conversation_id = ${m}.conversation_id AND r.thread_ts = ${m}.ts AND r.replier = ANY(${viewer}))
     THEN '"subscribed":true,' || ${read} ELSE '"subscribed":false' END`;

/** SQL for the ts up to which a viewer has read a thread: that of the own newest reply, or of the parent without any. */
const sqlNewestOwn = (m: string, viewer: string): string => `coalesce((
  SELECT r.ts FROM messages r WHERE r.conversation_id = ${m}.conversation_id AND r.thread_ts = ${m}.ts
    AND (r.user_id = ANY(${viewer}) OR r.bot_id = ANY(${viewer}))
    AND EXISTS (SELECT FROM thread_repliers t
      WHERE t.conversation_id = ${m}.conversation_id AND t.thread_ts = ${m}.ts AND t.replier = ANY(${viewer}))
  ORDER BY r.ts DESC LIMIT 1), ${m}.ts)`;

/** What a subscribed parent says of its reader. */
const lastRead = (m: string, viewer: string): string => `'"last_read":"' || ${sqlTs(sqlNewestOwn(m, viewer))} || '"'`;

/** What changes after a message was posted, as JSON members behind the stored wire text. */
const changingFields = (m: string, viewer: string, read = lastRead(m, viewer)): string => `
  CASE WHEN ${m}.reply_count > 0 THEN ${threadFields(m, viewer, read)} ELSE '' END
  || coalesce(',"reactions":' || ${m}.reactions, '') || coalesce(',' || ${m}.pinned, '')`;

/**
 * SQL for a message as JSON text (docs/reference/chat.md#messages): the stored text, passed through, and what changed
 * since. This is the one place that puts a message together; history, replies, search and events all select it.
 * @param m alias of `messages`
 * @param viewer a `text[]` parameter with the caller's ids (user, bot), for `subscribed`; may be null
 * @param withMetadata a boolean parameter: `include_all_metadata`, and true in events
 * @param read SQL for what a subscribed parent says of its reader, where more than `last_read` is wanted
 */
export const messageWire = (m: string, viewer: string, withMetadata = 'false', read = lastRead(m, viewer)): string => `
  CASE WHEN ${m}.reply_count = 0 AND ${m}.reactions IS NULL AND ${m}.pinned IS NULL AND NOT ${m}.is_broadcast AND NOT (${withMetadata} AND ${m}.metadata IS NOT NULL)
  THEN ${m}.wire
  ELSE left(${m}.wire, -1) || ${changingFields(m, viewer, read)}
    || CASE WHEN ${withMetadata} AND ${m}.metadata IS NOT NULL THEN ',"metadata":' || ${m}.metadata ELSE '' END
    || CASE WHEN ${m}.is_broadcast THEN coalesce((
         SELECT ',"root":' || left(root.wire, -1) || ${changingFields('root', viewer)} || '}'
         FROM messages root WHERE root.conversation_id = ${m}.conversation_id AND root.ts = ${m}.thread_ts), '') ELSE '' END
    || '}'
  END`;

/** SQL for the same with its address, without metadata. @param base an expression for the service's base URL */
export const messageWithPermalink = (m: string, viewer: string, base: string): string =>
  `left(${messageWire(m, viewer)}, -1) || ',"permalink":' || to_json(${sqlPermalink(m, base)})::text || '}'`;
