// The fair rival: raw Fastify and pg, hand-written, one named statement per call that does all of the call's work:
// token, membership, the ts under the conversation's row lock, the message with the same indexes, the event row. Its
// limiter counts in memory. It validates no arguments, implements one tenant's rules and delivers nothing.
import { createHash } from 'node:crypto';
import Fastify from 'fastify';
import pg from 'pg';

pg.types.setTypeParser(20, Number);
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10, options: '-c jit=off' });
const hash = (token) => createHash('sha256').update(token).digest('hex');
const ts = (micros) => `${Math.floor(micros / 1e6)}.${String(micros % 1e6).padStart(6, '0')}`;

const hits = new Map();
function allowed(key, limit) {
  const now = Date.now();
  let window = hits.get(key);
  if (!window || now - window.start >= 60_000) hits.set(key, (window = { start: now, count: 0 }));
  return ++window.count <= limit;
}

const WHO = `SELECT t.user_id, t.workspace_id, t.scopes, a.id AS app_id, a.name AS app_name, a.bot_id, w.tenant_id
  FROM tokens t JOIN workspaces w ON w.id = t.workspace_id AND w.deleted_at IS NULL
  JOIN users u ON u.workspace_id = t.workspace_id AND u.id = t.user_id AND u.deleted_at IS NULL
  JOIN apps a ON a.id = t.app_id WHERE t.hash = $1 AND t.revoked_at IS NULL`;

const POST = {
  name: 'post',
  text: `WITH who AS MATERIALIZED (${WHO}),
    member AS MATERIALIZED (SELECT c.id FROM conversations c JOIN who ON who.workspace_id = c.workspace_id
      JOIN members m ON m.conversation_id = c.id AND m.user_id = who.user_id WHERE c.id = $2 AND NOT c.is_archived),
    moved AS (UPDATE conversations c SET last_ts = greatest((extract(epoch FROM clock_timestamp()) * 1000000)::bigint, c.last_ts + 1)
      FROM member WHERE c.id = member.id RETURNING c.id, c.last_ts),
    stored AS (INSERT INTO bench_messages (conversation_id, ts, user_id, bot_id, text)
      SELECT moved.id, moved.last_ts, who.user_id, who.bot_id, $3 FROM moved, who),
    indexed AS (INSERT INTO bench_message_search (conversation_id, ts, workspace_id, author, folded)
      SELECT moved.id, moved.last_ts, who.workspace_id, who.user_id, lower($3) FROM moved, who),
    recorded AS (INSERT INTO events (tenant_id, product, kind, room, data)
      SELECT who.tenant_id, 'chat', 'message', 'conversation:' || moved.id,
        json_build_object('type', 'message', 'user', who.user_id, 'bot_id', who.bot_id, 'app_id', who.app_id, 'text', $3::text,
          'ts', moved.last_ts, 'channel', moved.id)::text FROM moved, who)
    SELECT who.*, moved.last_ts FROM who LEFT JOIN moved ON true`,
};
const HISTORY = {
  name: 'history',
  text: `WITH who AS MATERIALIZED (${WHO}),
    member AS MATERIALIZED (SELECT c.id FROM conversations c JOIN who ON who.workspace_id = c.workspace_id
      JOIN members m ON m.conversation_id = c.id AND m.user_id = who.user_id WHERE c.id = $2)
    SELECT who.workspace_id, who.app_id, who.app_name, who.user_id AS caller, page.* FROM who, member, LATERAL (
      SELECT m.ts, m.user_id, m.bot_id, m.subtype, m.text FROM bench_messages m
      WHERE m.conversation_id = member.id AND (m.thread_ts IS NULL OR m.is_broadcast) ORDER BY m.ts DESC LIMIT $3) page`,
};

const REACT = {
  name: 'react',
  text: `WITH who AS MATERIALIZED (${WHO}),
    message AS MATERIALIZED (SELECT m.conversation_id, m.ts FROM messages m
      JOIN conversations c ON c.id = m.conversation_id JOIN who ON who.workspace_id = c.workspace_id
      JOIN members b ON b.conversation_id = c.id AND b.user_id = who.user_id
      WHERE c.id = $2 AND NOT c.is_archived AND m.ts = $3 FOR NO KEY UPDATE OF m),
    stored AS (INSERT INTO reactions (conversation_id, ts, user_id, name)
      SELECT message.conversation_id, message.ts, who.user_id, $4 FROM message, who
      ON CONFLICT DO NOTHING RETURNING conversation_id, ts, name, user_id, position),
    used AS (SELECT name, json_agg(user_id ORDER BY position) AS users, count(*) AS count, min(position) AS first
      FROM (SELECT r.conversation_id, r.ts, r.name, r.user_id, r.position FROM reactions r
        JOIN message ON message.conversation_id = r.conversation_id AND message.ts = r.ts
        UNION ALL SELECT * FROM stored) r GROUP BY name),
    shown AS (UPDATE messages m SET reactions = (
        SELECT json_agg(json_build_object('name', name, 'users', users, 'count', count) ORDER BY first)::text FROM used)
      FROM stored WHERE m.conversation_id = stored.conversation_id AND m.ts = stored.ts),
    recorded AS (INSERT INTO events (tenant_id, product, kind, room, data)
      SELECT who.tenant_id, 'chat', 'reaction_added', 'conversation:' || stored.conversation_id,
        json_build_object('type', 'reaction_added', 'user', who.user_id, 'reaction', stored.name,
          'item', json_build_object('type', 'message', 'channel', stored.conversation_id, 'ts', stored.ts))::text FROM stored, who)
    SELECT who.scopes, message.ts, stored.name FROM who LEFT JOIN message ON true LEFT JOIN stored ON true`,
};

const UPDATE = {
  name: 'update',
  text: `WITH who AS MATERIALIZED (${WHO}),
    member AS MATERIALIZED (SELECT c.id FROM conversations c JOIN who ON who.workspace_id = c.workspace_id
      JOIN members m ON m.conversation_id = c.id AND m.user_id = who.user_id WHERE c.id = $2 AND NOT c.is_archived),
    message AS MATERIALIZED (SELECT m.conversation_id, m.ts, m.text FROM bench_messages m JOIN member ON member.id = m.conversation_id
      JOIN who ON who.bot_id = m.bot_id WHERE m.ts = $3 FOR NO KEY UPDATE OF m),
    moved AS (UPDATE conversations c SET last_ts = greatest((extract(epoch FROM clock_timestamp()) * 1000000)::bigint, c.last_ts + 1)
      FROM message WHERE c.id = message.conversation_id RETURNING c.id, c.last_ts),
    stored AS (UPDATE bench_messages m SET text = $4 FROM moved WHERE m.conversation_id = moved.id AND m.ts = $3),
    indexed AS (UPDATE bench_message_search s SET folded = lower($4) FROM moved WHERE s.conversation_id = moved.id AND s.ts = $3),
    recorded AS (INSERT INTO events (tenant_id, product, kind, room, data)
      SELECT who.tenant_id, 'chat', 'message', 'conversation:' || moved.id,
        json_build_object('type', 'message', 'subtype', 'message_changed', 'channel', moved.id, 'ts', moved.last_ts,
          'message', json_build_object('user', who.user_id, 'text', $4::text, 'ts', message.ts),
          'previous_message', json_build_object('user', who.user_id, 'text', message.text, 'ts', message.ts))::text
      FROM moved, who, message)
    SELECT who.*, moved.last_ts FROM who LEFT JOIN moved ON true`,
};

/** Joins, or leaves where the caller is a member, so that it can be called without end. */
const JOIN = {
  name: 'join',
  text: `WITH who AS MATERIALIZED (${WHO}),
    channel AS MATERIALIZED (SELECT c.id, c.name FROM conversations c JOIN who ON who.workspace_id = c.workspace_id
      WHERE c.id = $2 AND c.type = 'public' AND NOT c.is_archived FOR NO KEY UPDATE OF c),
    was AS MATERIALIZED (SELECT m.conversation_id FROM members m JOIN channel ON channel.id = m.conversation_id JOIN who ON who.user_id = m.user_id),
    added AS (INSERT INTO members (conversation_id, user_id, joined_at)
      SELECT channel.id, who.user_id, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint FROM channel, who
      WHERE NOT EXISTS (SELECT FROM was) ON CONFLICT DO NOTHING RETURNING conversation_id),
    gone AS (DELETE FROM members m USING was, who WHERE m.conversation_id = was.conversation_id AND m.user_id = who.user_id
      RETURNING m.conversation_id),
    changed AS (SELECT conversation_id, 1 AS by FROM added UNION ALL SELECT conversation_id, -1 FROM gone),
    moved AS (UPDATE conversations c SET member_count = member_count + changed.by,
        last_ts = greatest((extract(epoch FROM clock_timestamp()) * 1000000)::bigint, c.last_ts + 1)
      FROM changed WHERE c.id = changed.conversation_id RETURNING c.id, c.last_ts, c.name, c.member_count),
    stored AS (INSERT INTO bench_messages (conversation_id, ts, user_id, subtype, text)
      SELECT moved.id, moved.last_ts, who.user_id, 'channel_join', 'has joined' FROM moved, who),
    recorded AS (INSERT INTO events (tenant_id, product, kind, room, data)
      SELECT who.tenant_id, 'chat', kind, 'conversation:' || moved.id,
        json_build_object('type', kind, 'user', who.user_id, 'channel', moved.id, 'ts', moved.last_ts)::text
      FROM moved, who, unnest(ARRAY['member_joined_channel', 'message']) kind)
    SELECT who.*, moved.* FROM who LEFT JOIN moved ON true`,
};

/** One indexed select that authenticates the caller. */
const TEST = {
  name: 'test',
  text: `SELECT t.user_id, t.workspace_id, u.name AS user_name, w.name AS team, a.id AS app_id, a.name AS app_name, a.bot_id
    FROM tokens t JOIN workspaces w ON w.id = t.workspace_id AND w.deleted_at IS NULL
    JOIN users u ON u.workspace_id = t.workspace_id AND u.id = t.user_id AND u.deleted_at IS NULL
    JOIN apps a ON a.id = t.app_id WHERE t.hash = $1 AND t.revoked_at IS NULL`,
};

const profile = (row) => ({
  id: row.bot_id,
  deleted: false,
  name: row.app_name,
  updated: 1767225000,
  app_id: row.app_id,
  icons: {
    image_36: 'http://localhost/36.png',
    image_48: 'http://localhost/48.png',
    image_72: 'http://localhost/72.png',
  },
  team_id: row.workspace_id,
  user_id: row.user_id,
});
const wire = (row, text, micros) => ({
  type: 'message',
  user: row.user_id,
  ...(row.bot_id ? { bot_id: row.bot_id, app_id: row.app_id, is_bot: true } : {}),
  text,
  team: row.workspace_id,
  ...(row.bot_id ? { bot_profile: profile(row) } : {}),
  ts: ts(micros),
});

const app = Fastify({ logger: false });
app.post('/api/chat.postMessage', async (request) => {
  const token = request.headers.authorization.slice(7);
  const { channel, text } = request.body;
  if (!allowed(`post:${token}:${channel}`, 1e9)) return { ok: false, error: 'ratelimited' };
  const { rows } = await pool.query({ ...POST, values: [hash(token), channel, text] });
  if (rows.length === 0) return { ok: false, error: 'invalid_auth' };
  if (!rows[0].scopes.includes('chat:write')) return { ok: false, error: 'missing_scope' };
  if (!rows[0].last_ts) return { ok: false, error: 'channel_not_found' };
  return { ok: true, channel, ts: ts(rows[0].last_ts), message: wire(rows[0], text, rows[0].last_ts) };
});
app.post('/api/auth.test', async (request) => {
  const token = request.headers.authorization.slice(7);
  if (!allowed(`test:${token}`, 1e9)) return { ok: false, error: 'ratelimited' };
  const { rows } = await pool.query({ ...TEST, values: [hash(token)] });
  if (rows.length === 0) return { ok: false, error: 'invalid_auth' };
  const [row] = rows;
  return {
    ok: true,
    url: 'http://localhost/',
    team: row.team,
    user: row.user_name,
    team_id: row.workspace_id,
    user_id: row.user_id,
    bot_id: row.bot_id,
    app_id: row.app_id,
    app_name: row.app_name,
    is_enterprise_install: false,
  };
});
app.post('/api/conversations.history', async (request) => {
  const token = request.headers.authorization.slice(7);
  const { channel, limit = 100 } = request.body;
  if (!allowed(`history:${token}`, 1e9)) return { ok: false, error: 'ratelimited' };
  const { rows } = await pool.query({ ...HISTORY, values: [hash(token), channel, limit + 1] });
  const page = rows.slice(0, limit);
  return {
    ok: true,
    messages: page.map((row) => wire(row, row.text, row.ts)),
    has_more: rows.length > limit,
    pin_count: 0,
    channel_actions_ts: null,
    channel_actions_count: 0,
    response_metadata: {
      next_cursor: rows.length > limit ? Buffer.from(`next_ts:${rows[limit].ts}`).toString('base64') : '',
    },
  };
});
app.post('/api/reactions.add', async (request) => {
  const token = request.headers.authorization.slice(7);
  const { channel, timestamp, name } = request.body;
  if (!allowed(`react:${token}`, 1e9)) return { ok: false, error: 'ratelimited' };
  const { rows } = await pool.query({ ...REACT, values: [hash(token), channel, timestamp.replace('.', ''), name] });
  if (rows.length === 0) return { ok: false, error: 'invalid_auth' };
  if (!rows[0].scopes.includes('reactions:write')) return { ok: false, error: 'missing_scope' };
  if (!rows[0].ts) return { ok: false, error: 'message_not_found' };
  return rows[0].name ? { ok: true } : { ok: false, error: 'already_reacted' };
});
app.post('/api/chat.update', async (request) => {
  const token = request.headers.authorization.slice(7);
  const { channel, text } = request.body;
  if (!allowed(`update:${token}`, 1e9)) return { ok: false, error: 'ratelimited' };
  const { rows } = await pool.query({
    ...UPDATE,
    values: [hash(token), channel, request.body.ts.replace('.', ''), text],
  });
  if (rows.length === 0) return { ok: false, error: 'invalid_auth' };
  if (!rows[0].scopes.includes('chat:write')) return { ok: false, error: 'missing_scope' };
  if (!rows[0].last_ts) return { ok: false, error: 'cant_update_message' };
  return {
    ok: true,
    channel,
    ts: request.body.ts,
    text,
    message: wire(rows[0], text, Number(request.body.ts.replace('.', ''))),
  };
});
const joinOrLeave = async (request) => {
  const token = request.headers.authorization.slice(7);
  const { channel } = request.body;
  if (!allowed(`join:${token}`, 1e9)) return { ok: false, error: 'ratelimited' };
  const { rows } = await pool.query({ ...JOIN, values: [hash(token), channel] });
  if (rows.length === 0) return { ok: false, error: 'invalid_auth' };
  return { ok: true, channel: { id: channel, name: rows[0].name, is_channel: true, is_member: true } };
};
app.post('/api/conversations.join', joinOrLeave);
app.post('/api/conversations.leave', joinOrLeave);
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
process.send?.('listening');
