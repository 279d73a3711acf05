// Preloaded into a replica under test: it kills itself at a commit, before it is sent or after it was done, and before
// anybody hears of it.
import pg from 'pg';

const [moment, count] = (process.env.KILL_AT_COMMIT ?? '').split(':');
let left = Number(count);
const die = () => process.kill(process.pid, 'SIGKILL');

const { query } = pg.Client.prototype;
pg.Client.prototype.query = function (...args) {
  const [given] = args;
  const text = typeof given === 'string' ? given : (given?.text ?? '');
  // a hot write is one statement, which is a transaction by itself
  const isCommit = /^COMMIT/.test(text) || /^\s*(\/\*.*?\*\/)?\s*WITH\b[\s\S]*\bINSERT INTO/.test(text);
  if (!isCommit || --left !== 0) return query.apply(this, args);
  if (moment === 'before') die();
  const at = args.findLastIndex((arg) => typeof arg === 'function');
  if (at >= 0) args[at] = die;
  const result = query.apply(this, args);
  if (typeof result?.then === 'function') result.then(die, die);
  return result;
};
