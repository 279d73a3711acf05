// Preloaded into a server under test: a statement with a value that contains `break:<text>` fails as if by a bug in
// the
// driver, with the text in the error's message.
import pg from 'pg';

const { query } = pg.Client.prototype;
pg.Client.prototype.query = function (...args) {
  const [, text] = /break:(.*?):break/.exec(JSON.stringify(args.slice(0, 2))) ?? [];
  if (text === undefined) return query.apply(this, args);
  const error = new Error(`the driver broke over ${text}`);
  const callback = args.findLast((arg) => typeof arg === 'function');
  if (!callback) return Promise.reject(error);
  callback(error);
};
