// Preloaded into a replica under test: breaks the server in one way, by what its statements do or answer (and by what
// mutations.ts prepares in the database). The checker has to find each of them.
import pg from 'pg';

const remembered = new Map();
const OF_CHANNEL = '(m.thread_ts IS NULL OR m.is_broadcast)';
let count = 0;
let isServing = false;
const every = (n) => ++count % n === 0;

/** By name: `text` changes what is sent, `answer` changes the rows, `often` is done by and by. */
const MUTATIONS = {
  // not those that the start itself needs
  'a commit is rolled back now and then': {
    on: '',
    text: (text) => (text === 'COMMIT' && isServing && every(3) ? 'ROLLBACK' : text),
  },
  'an event is written after the commit': {
    on: '',
    often: `BEGIN; SET LOCAL late.now = 'on'; WITH late AS (DELETE FROM late_events RETURNING *)
            INSERT INTO events OVERRIDING SYSTEM VALUE SELECT * FROM late; COMMIT`,
  },
  'replies are read in two statements': {
    on: 'chat_replies',
    text: (text) =>
      text.replace(`"reply_count":' || m.reply_count`, `"reply_count":' || late_count(m.conversation_id, m.ts)`),
  },
  'a lock is left out': {
    on: 'chat_reply_batch',
    text: (text) => text.replaceAll('FOR NO KEY UPDATE', ''),
  },
  'a revoked token is remembered': {
    on: 'chat_token_holders',
    answer: (rows, key) => {
      const known = remembered.get(key);
      if (rows.length > 0 && !known) remembered.set(key, rows);
      return known ?? rows;
    },
  },
  'sockets are not told of some events': {
    on: 'event_tail_read',
    answer: (rows) => rows.filter(({ id }) => id % 5 > 0),
  },
  'sockets are told in another order': { on: 'event_tail_read', answer: (rows) => rows.toReversed() },
  'outcomes of deliveries are not stored': {
    on: 'deliveries_results',
    text: (text) => text.replace('WHERE id = ANY($1::bigint[])', 'WHERE id = ANY($1::bigint[]) AND false'),
  },
  'a reply that was deleted stays counted': {
    on: 'chat_uncount_reply',
    text: (text) => text.replace('reply_count = reply_count - 1', 'reply_count = reply_count'),
  },
  'a deletion does nothing': { on: 'chat_delete_message', text: (text) => `${text} AND false` },
  'everybody is a member': {
    on: 'chat_token_holders',
    answer: (rows) => rows.map((row) => ({ ...row, isMember: true })),
  },
  'messages can be read a second late': {
    on: 'chat_history_backward',
    text: (text) => text.replaceAll(OF_CHANNEL, `${OF_CHANNEL} AND m.ts < (extract(epoch FROM now()) - 1) * 1000000`),
  },
  'pages hold messages of others': {
    on: 'chat_history_backward',
    text: (text) => text.replaceAll('m.conversation_id = $1', '(m.conversation_id = $1 OR m.ts % 5 = 0)'),
  },
};

const { on, text: change, answer, often } = MUTATIONS[process.env.MUTATION];

/** A statement that has changed since, so that nothing is broken, ends the replica: its mutation has to follow. */
const text =
  change &&
  ((before) => {
    const after = change(before);
    if (on !== '' && after === before) {
      console.error(`nothing to change in ${on}`);
      process.exit(1);
    }
    return after;
  });

if (often) {
  const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 1 });
  // before the database is prepared it fails
  setInterval(() => pool.query(often).catch(() => pool.query('ROLLBACK').catch(() => undefined)), 300).unref();
}

const { query } = pg.Client.prototype;
pg.Client.prototype.query = function (...args) {
  const [given] = args;
  const name = given?.name ?? '';
  isServing ||= name === 'chat_token_holders';
  if (name !== on) return query.apply(this, args);
  if (text && typeof given === 'string') args[0] = text(given);
  // a query that reads its answer itself is changed in place
  else if (text && typeof given.submit === 'function') given.text = text(given.text);
  else if (text) args[0] = { ...given, text: text(given.text) };
  if (!answer) return query.apply(this, args);
  const key = JSON.stringify(given.values);
  const changed = (result) => Object.assign(result, { rows: answer(result.rows, key) });
  const at = args.findLastIndex((arg) => typeof arg === 'function');
  if (at < 0) return query.apply(this, args).then(changed);
  const callback = args[at];
  args[at] = (error, result) => callback(error, error ? result : changed(result));
  return query.apply(this, args);
};
