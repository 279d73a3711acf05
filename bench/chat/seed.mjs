// Fills a workspace by INSERT … SELECT: a million rows in seconds, into our tables and the baseline's alike.

const WORDS =
  `the of and to in is it for on with as by at an be this that from or are was but not have you we they deploy build test
release branch merge review server client queue error timeout retry cache index query table token scope channel message thread
reaction webhook worker cluster replica shard backup restore metric alert latency budget quota limit window bucket signature
payload header cookie session login logout account workspace tenant invoice report chart design sketch draft plan sprint ticket
label cycle project roadmap customer support answer question meeting lunch coffee friday monday morning tonight weekend holiday`
    .split(/\s+/)
    .filter(Boolean);

/**
 * SQL for about twelve words, the first of the list far more often than the last; rare words contain the row's number.
 */
const sentence = `(
  SELECT string_agg(words.list[1 + floor(power(random(), 2.5) * ${WORDS.length} + 0 * word)::int], ' ')
  FROM generate_series(1, 8 + (g % 9)) word WHERE g IS NOT NULL)
  || CASE WHEN g % 50000 = 7 THEN ' quetzalcoatl' ELSE '' END || CASE WHEN g % 1000 = 3 THEN ' go' ELSE '' END`;

/** Index definitions of `messages`, for a table of another name. */
async function copyIndexes(client, from, to) {
  const { rows } = await client.query(`SELECT indexname, indexdef FROM pg_indexes WHERE tablename = $1`, [from]);
  for (const { indexname, indexdef } of rows) {
    await client.query(
      indexdef.replace(indexname, `bench_${indexname}`).replace(/ ON public\.\w+/, ` ON public.${to}`),
    );
  }
}

/** The baseline's tables are copies of ours: messages and their search data. */
export async function createBaselineTable(client) {
  await client.query(`CREATE TABLE bench_messages (LIKE messages INCLUDING DEFAULTS INCLUDING GENERATED)`);
  await client.query(`ALTER TABLE bench_messages ALTER COLUMN wire DROP NOT NULL`);
  await client.query(`CREATE TABLE bench_message_search (LIKE message_search INCLUDING DEFAULTS)`);
}
export async function indexBaselineTable(client) {
  await copyIndexes(client, 'messages', 'bench_messages');
  await copyIndexes(client, 'message_search', 'bench_message_search');
}

const searchTable = (table) => (table === 'messages' ? 'message_search' : 'bench_message_search');

/** `count` messages in a channel, a second apart, ending an hour ago; every 20th author is the bot. */
export async function seedMessages(client, { table, channel, workspace, count, users, bot }) {
  const wire =
    table === 'messages'
      ? `, '{"type":"message","user":"' || author || '","text":' || to_json(text)::text || ',"team":"${workspace}","ts":"'
           || overlay(ts::text placing '.' from 11 for 0) || '"}'`
      : '';
  await client.query(
    `WITH stored AS (INSERT INTO ${table} (conversation_id, ts, user_id, text ${wire === '' ? '' : ', wire'})
     SELECT $1, ts, author, text ${wire} FROM (
       SELECT (extract(epoch FROM now()) * 1000000)::bigint - 3600000000 - ($2::bigint - g) * 1000000 AS ts,
              CASE WHEN g % 20 = 0 THEN $4 ELSE ($3::text[])[1 + g % cardinality($3::text[])] END AS author,
              ${sentence} AS text
       FROM generate_series(1, $2::int) g, (SELECT $5::text[] AS list) words) rows
     RETURNING conversation_id, ts, user_id, text)
     INSERT INTO ${searchTable(table)} (conversation_id, ts, workspace_id, author, folded)
     SELECT conversation_id, ts, $6, user_id, lower(text) FROM stored`,
    [channel, count, users, bot, WORDS, workspace],
  );
}

/**
 * Runs the seeding in `work` without search's text index and rebuilds it afterwards: a third of the time of a million
 * single inserts.
 */
export async function withoutTextIndex(client, work) {
  const { rows } = await client.query(
    `SELECT indexname, indexdef FROM pg_indexes WHERE tablename LIKE '%message_search' AND indexdef LIKE '%gin_trgm_ops%'`,
  );
  for (const { indexname } of rows) await client.query(`DROP INDEX ${indexname}`);
  try {
    return await work();
  } finally {
    for (const { indexdef } of rows) await client.query(indexdef);
  }
}

/** A thread of `count` replies on a new parent; answers the parent's ts in microseconds. */
export async function seedThread(client, { channel, workspace, count, user }) {
  const { rows } = await client.query(
    `INSERT INTO messages (conversation_id, ts, user_id, text, wire, reply_count, reply_users, reply_users_count, latest_reply)
     SELECT $1, base, $2, 'parent', '{"type":"message","user":"' || $2 || '","text":"parent","team":"' || $3 || '","ts":"'
       || overlay(base::text placing '.' from 11 for 0) || '"}', $4::int, ARRAY[$2], 1, base + $4::int
     FROM (SELECT (extract(epoch FROM now()) * 1000000)::bigint - 1800000000 AS base) b RETURNING ts`,
    [channel, user, workspace, count],
  );
  const parent = Number(rows[0].ts);
  await client.query(
    `WITH stored AS (INSERT INTO messages (conversation_id, ts, thread_ts, user_id, text, wire)
     SELECT $1, $5::bigint + g, $5, $2, 'reply', '{"type":"message","user":"' || $2 || '","text":"reply","team":"' || $3 || '","thread_ts":"'
       || overlay($5::text placing '.' from 11 for 0) || '","ts":"' || overlay(($5::bigint + g)::text placing '.' from 11 for 0) || '"}'
     FROM generate_series(1, $4::int) g RETURNING conversation_id, ts, user_id, text),
     threaded AS (INSERT INTO message_facets (conversation_id, ts, facet, workspace_id)
       SELECT conversation_id, ts, 'thread', $3 FROM stored UNION ALL VALUES ($1, $5::bigint, 'thread', $3))
     INSERT INTO message_search (conversation_id, ts, workspace_id, author, folded)
     SELECT conversation_id, ts, $3, user_id, text FROM stored UNION ALL VALUES ($1, $5::bigint, $3, $2, 'parent')`,
    [channel, user, workspace, count, parent],
  );
  await client.query(`INSERT INTO thread_repliers VALUES ($1, $2::bigint, $3, $4, $2::bigint + 1)`, [
    channel,
    parent,
    user,
    count,
  ]);
  return parent;
}

/** Messages that a bot may change, the same in the baseline's table; answers their ts. */
export async function seedOwn(client, { channel, workspace, count, user, bot }) {
  const { rows } = await client.query(
    `WITH made AS (
       SELECT (extract(epoch FROM now()) * 1000000)::bigint - 3600000000 - g::bigint * 1000000 AS ts, 'message ' || g || ' of the bench' AS text
       FROM generate_series(1, $2::int) g),
     stored AS (
       INSERT INTO messages (conversation_id, ts, user_id, bot_id, text, wire)
       SELECT $1, ts, $4, $5, text, '{"type":"message","user":"' || $4 || '","bot_id":"' || $5 || '","text":"' || text || '","team":"' || $3
         || '","ts":"' || overlay(ts::text placing '.' from 11 for 0) || '"}' FROM made RETURNING ts),
     indexed AS (
       INSERT INTO message_search (conversation_id, ts, workspace_id, author, folded)
       SELECT $1, ts, $3, $4, text FROM made),
     theirs AS (
       INSERT INTO bench_messages (conversation_id, ts, user_id, bot_id, text) SELECT $1, ts, $4, $5, text FROM made),
     found AS (
       INSERT INTO bench_message_search (conversation_id, ts, workspace_id, author, folded)
       SELECT $1, ts, $3, $4, text FROM made)
     SELECT ts FROM stored`,
    [channel, count, workspace, user, bot],
  );
  return rows.map(({ ts }) => ts);
}

/** Empty tables are not analysed: one analysed while empty is scanned sequentially while it fills up. */
export async function analyseWhatIsFull(client) {
  const { rows } = await client.query('SELECT relname FROM pg_stat_user_tables WHERE pg_relation_size(relid) > 0');
  await client.query(`VACUUM ANALYZE ${rows.map(({ relname }) => relname).join(', ')}`);
  await client.query('CHECKPOINT').catch(() => undefined);
}
