// The performance targets of the web UI in a real Chromium: npm run bench -- ui [--quick] [--write]
// [--only=load,scrolling,posts,switching, inspector,throughput]. Takes less than three minutes. Every figure is shown
// beside its target, and a missed target is marked.
import { machine, number, report, rowsOf, table } from '../report.mjs';
import { round } from '../measure.mjs';
import { start } from '../servers.mjs';
import { firstLoad, frameFigures, othersPosts, ownPosts, scrolling, switching } from './chat.mjs';
import { inspector } from './inspector.mjs';
import { openBrowser, quantile } from './page.mjs';
import { makeSandbox } from './sandbox.mjs';

const quick = process.argv.includes('--quick');
const SIZES = quick
  ? { messages: 2_000, rounds: 1, scroll: 2, posts: 20, own: 5, switches: 2, rows: 600, entries: 2, load: 1 }
  : { messages: 100_000, rounds: 5, scroll: 10, posts: 200, own: 30, switches: 10, rows: 10_000, entries: 8, load: 6 };

const only = process.argv
  .find((one) => one.startsWith('--only='))
  ?.slice('--only='.length)
  .split(',');
/** The parts in the order of the table, with how many rows each has. */
const PARTS = { load: 3, scrolling: 4, posts: 2, switching: 2, inspector: 3, throughput: 1 };
const isWanted = (part) => only === undefined || only.includes(part);

/** The rows of all parts: new ones for the parts measured now, existing ones for the others. */
function withOthers(measured) {
  const before = rowsOf('Web UI');
  const now = [...measured];
  return Object.entries(PARTS).flatMap(([part, count]) => {
    const old = before.splice(0, count);
    return isWanted(part) ? now.splice(0, count) : old;
  });
}

const NOTES = `A page is at rest before posts and switches are measured: what it asks for after its first screen has come. A switch counts until the composer of the other conversation and its messages are there. Of a second load, which takes as long as the first, somewhat less than half is script (a quarter of that parsing and compiling), a tenth style, layout and paint; the rest waits for the server and for the next frame. A switch gives the header, the composer and its tools other props; the lists of the last three conversations stay drawn, out of sight, so that one that is opened again is neither rendered nor measured again. Each frame waits for the next of 60 a second: 10 ms on average.`;

const p95 = (values) => quantile(values, 0.95);

/** Posts per second that the server of each mode answers, with no tab open: alternately, the best of each. */
async function throughput() {
  const best = { api: 0, full: 0 };
  const servers = {};
  for (const mode of ['api', 'full'])
    servers[mode] = await start('dist/server/main.js', { DATABASE_URL: '', SVC_DATA_DIR: 'memory', SVC_MODE: mode });
  const boxes = {};
  for (const mode of ['api', 'full']) boxes[mode] = await makeSandbox(servers[mode].url, 50);
  for (let turn = 0; turn < 3; turn++) {
    for (const mode of ['api', 'full']) {
      const { botHeaders, short } = boxes[mode];
      const { rate } = await round(servers[mode], {
        connections: 8,
        seconds: SIZES.load,
        request: ({ n }) => ({
          path: '/api/chat.postMessage',
          headers: botHeaders,
          body: { channel: short, text: `load ${n}` },
        }),
      });
      best[mode] = Math.max(best[mode], rate);
    }
  }
  for (const server of Object.values(servers)) await server.stop();
  return best;
}

export async function ui() {
  const browser = await openBrowser();
  if (!browser)
    return console.error(
      'no Chromium found: the web UI is left out; apt-get install chromium, or set SVC_TEST_BROWSER',
    );
  const begun = performance.now();
  const server = await start('dist/server/main.js', { DATABASE_URL: '', SVC_DATA_DIR: 'memory', SVC_MODE: 'full' });
  const rows = [];
  /** @param bar the highest allowed value, unless `least` is set */
  const add = (what, value, bar, { unit = 'ms', least = false } = {}) =>
    rows.push([
      what,
      `${least ? '≥' : '≤'} ${number(bar)} ${unit}`.trim(),
      `${number(value)} ${unit}`.trim(),
      (least ? value >= bar : value <= bar) ? 'met' : 'missed',
    ]);
  try {
    const sandbox = await makeSandbox(server.url, SIZES.messages);
    if (isWanted('load')) {
      const load = await firstLoad(browser, sandbox, SIZES);
      add('first load, cold cache, to messages painted, median', quantile(load.cold, 0.5), 1_000);
      add('first load again, median', quantile(load.warm, 0.5), 500);
      add('requests until then', load.requests.length, 7, { unit: '' });
    }
    if (isWanted('scrolling')) {
      const scrolled = frameFigures(await scrolling(browser, sandbox, { seconds: SIZES.scroll }));
      add(`scrolling ${SIZES.messages.toLocaleString('en')} messages at 3,000 px/s: frame, p95`, scrolled.p95, 17);
      add('longest frame', scrolled.longest, 50);
      add('rows in the page, most', scrolled.rows, 150, { unit: '' });
      add('heap, more than before', Math.max(0, scrolled.megabytes), 60, { unit: 'MB' });
    }
    if (isWanted('posts')) {
      add(
        'post by the API → visible, 20 a second, p95',
        p95(await othersPosts(browser, sandbox, { count: SIZES.posts })),
        100,
      );
      add('own message drawn, p95', p95(await ownPosts(browser, sandbox, { count: SIZES.own })), 50);
    }
    if (isWanted('switching')) {
      const switched = await switching(browser, sandbox, { count: SIZES.switches });
      add('conversation switch, cached, p95', p95(switched.cached), 50);
      add('conversation switch, not cached, p95', p95(switched.uncached), 200);
    }
    if (isWanted('inspector')) {
      const inspected = await inspector(browser, sandbox, { rows: SIZES.rows, seconds: SIZES.entries });
      add(
        `Inspector, ${inspected.before.toLocaleString('en')} rows, 200 entries/s: input to paint, p95`,
        p95(inspected.inputs),
        100,
      );
      add('filter, slowest', Math.max(...inspected.filters), 150);
      add(`entries lost of ${inspected.sent.toLocaleString('en')}`, inspected.lost, 0, { unit: '' });
    }
  } finally {
    await browser.close();
    await server.stop();
  }
  if (isWanted('throughput')) {
    const { api, full } = await throughput();
    add(`API throughput of \`full\`, no tab open, of \`api\` (${number(api)}/s)`, full / api, 0.98, {
      unit: '',
      least: true,
    });
  }
  report(
    'Web UI',
    `${machine()}; Chromium without a GPU, the embedded database in memory, everything on this machine; ${Math.round((performance.now() - begun) / 1000)} s in all.\n\n` +
      `\`npm run bench -- ui --write\`\n\n${table(['', 'bar', 'figure', ''], withOthers(rows))}\n\n${NOTES}${only ? ` Measured this time: ${only.join(', ')}; the other rows are from before.` : ''}`,
  );
}
