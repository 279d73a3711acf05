// What streaming costs (docs/reference/chat.md#streams): an append beside a chat.update of the same length, early and late
// in a stream, and appends at a fixed rate over many streams at once; on the embedded database and, with DATABASE_URL, on
// PostgreSQL. `--on=embedded` or `--on=postgresql` measures that one.
import { withDatabase } from './database.mjs';
import { machine, number, report, table } from './report.mjs';
import { provision, start } from './servers.mjs';

const quick = process.argv.includes('--quick');
const on = process.argv.find((argument) => argument.startsWith('--on='))?.slice(5);
const ROUNDS = quick ? 1 : 5;
const SECONDS = quick ? 3 : 15;
/** Streams at once, and appends a second to each. */
const AT_ONCE = [
  [20, 10],
  [100, 5],
];
const WORDS = 'and so the answer grows word by word, ';

const quantile = (times, share) => times.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(times.length * share) - 1)];

async function workspace(url) {
  const made = await provision(url, { team: { name: 'Streams' }, channels: [{ name: 'busy' }] });
  const call = async (method, args) => {
    const response = await fetch(`${url}/api/${method}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${made.bot_token}`, 'content-type': 'application/json' },
      body: JSON.stringify(args),
    });
    const answer = await response.json();
    if (!answer.ok) throw new Error(`${method}: ${answer.error}`);
    return answer;
  };
  const { user_id: recipient_user_id, team_id: recipient_team_id } = await call('auth.test', {});
  const channel = made.channels[0].id;
  const begin = async () => {
    const { ts } = await call('chat.startStream', { channel, recipient_user_id, recipient_team_id });
    return { channel, ts };
  };
  return { call, channel, begin };
}

async function timed(times, work) {
  const begun = performance.now();
  await work();
  times.push(performance.now() - begun);
}

/** One call at a time: the 200 appends of a stream, each beside an update to the text that it makes. */
async function measureAlone({ call, channel, begin }, add) {
  const parts = { 'appends 1 to 50': [], 'appends 51 to 150': [], 'appends 151 to 200': [] };
  const updates = { 'appends 1 to 50': [], 'appends 51 to 150': [], 'appends 151 to 200': [] };
  for (let round = 0; round < ROUNDS; round++) {
    const at = await begin();
    const { ts } = await call('chat.postMessage', { channel, text: 'x' });
    for (let i = 1; i <= 200; i++) {
      const part = i <= 50 ? 'appends 1 to 50' : i <= 150 ? 'appends 51 to 150' : 'appends 151 to 200';
      await timed(parts[part], () => call('chat.appendStream', { ...at, markdown_text: WORDS }));
      const text = WORDS.repeat(i).slice(0, 12_000);
      await timed(updates[part], () => call('chat.update', { channel, ts, markdown_text: text }));
    }
    await call('chat.stopStream', at);
  }
  for (const [part, times] of Object.entries(parts)) {
    add(part, times);
    add('chat.update of the same text', updates[part]);
  }
}

/** Appends at a fixed rate, whether or not the one before was answered. */
async function measureAtOnce({ call, begin }, [streams, perSecond], add) {
  const places = [];
  for (let i = 0; i < streams; i++) places.push(await begin());
  const times = [];
  const begun = performance.now();
  await Promise.all(
    places.map(async (at, lane) => {
      for (let n = 0; n < perSecond * SECONDS; n++) {
        const due = begun + (n + lane / streams) * (1_000 / perSecond);
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
        await timed(times, () => call('chat.appendStream', { ...at, markdown_text: WORDS }));
      }
    }),
  );
  add(`${streams} streams, ${streams * perSecond} appends a second`, times);
  for (const at of places) await call('chat.stopStream', at);
}

async function measure(name, env, rows) {
  const server = await start('dist/server/main.js', { SVC_JOURNAL: 'off', SVC_METHODS: 'all', ...env });
  const add = (what, times) =>
    rows.push([name, what, String(times.length), number(quantile(times, 0.5)), number(quantile(times, 0.99))]);
  try {
    const place = await workspace(server.url);
    await measureAlone(place, add);
    for (const load of AT_ONCE) await measureAtOnce(place, load, add);
  } finally {
    await server.stop();
  }
}

export async function streams() {
  const rows = [];
  if (on !== 'postgresql') await measure('embedded', { DATABASE_URL: '', SVC_DATA_DIR: 'memory' }, rows);
  if (on !== 'embedded') await withDatabase((url) => measure('PostgreSQL', { DATABASE_URL: url }, rows));
  const head = ['Database', 'What', 'Calls', 'median ms', 'p99 ms'];
  report('Streams', `${machine()}\n\n${table(head, rows)}`);
}
