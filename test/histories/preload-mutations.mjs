// Preloaded into a replica under test: breaks the server in one of ten ways, by what its statements do or answer. The
// checker has to find each of them.
import pg from 'pg';

const remembered = new Map();
let count = 0;
const every = (n) => ++count % n === 0;

/** By name: `text` changes what is sent, `answer` changes the rows. */
const MUTATIONS = {
  'a commit is rolled back now and then': {
    on: '',
    text: (text) => (text === 'COMMIT' && every(3) ? 'ROLLBACK' : text),
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
  'the last reply of a thread is left out': {
    on: 'chat_replies',
    answer: (rows) => (rows.length > 2 ? rows.slice(0, -1) : rows),
  },
  'a deletion does nothing': { on: 'chat_delete_message', text: (text) => `${text} AND false` },
  'everybody is a member': {
    on: 'chat_token_holders',
    answer: (rows) => rows.map((row) => ({ ...row, isMember: true })),
  },
  'pages of a channel are remembered': {
    on: 'chat_history_backward',
    answer: (rows, key) => {
      const known = remembered.get(key);
      if (!known) remembered.set(key, rows);
      return known ?? rows;
    },
  },
  'a page shows what another caller read before': {
    on: 'chat_history_backward',
    answer: (rows) => {
      const before = remembered.get('page') ?? rows;
      remembered.set('page', rows);
      return before;
    },
  },
};

const { on, text, answer } = MUTATIONS[process.env.MUTATION];

const { query } = pg.Client.prototype;
pg.Client.prototype.query = function (...args) {
  const [given] = args;
  const name = given?.name ?? '';
  if (name !== on) return query.apply(this, args);
  if (text && typeof given === 'string') args[0] = text(given);
  else if (text && typeof given?.text === 'string') args[0] = { ...given, text: text(given.text) };
  if (!answer) return query.apply(this, args);
  const key = JSON.stringify(given.values);
  const changed = (result) => Object.assign(result, { rows: answer(result.rows, key) });
  const at = args.findLastIndex((arg) => typeof arg === 'function');
  if (at < 0) return query.apply(this, args).then(changed);
  const callback = args[at];
  args[at] = (error, result) => callback(error, error ? result : changed(result));
  return query.apply(this, args);
};
