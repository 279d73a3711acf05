// This server and the public rival, measured as a prospective user would: the same calls, alternately, on one machine.
import { withDatabase } from '../database.mjs';
import { medians } from '../measure.mjs';
import { machine, number, report, table } from '../report.mjs';
import { ask, CHANNELS, fill, inParallel, measured, ours, rival, RIVAL, USERS } from './contenders.mjs';

const quick = process.argv.includes('--quick');
const ROUNDS = quick ? 1 : 5;
const SECONDS = quick ? 1 : 2;
/** V8 compiles for some seconds (docs/decisions/measured.md). */
const WARM_UP_SECONDS = quick ? 1 : 8;
const MESSAGES = quick ? [1000] : [1000, 10_000, 50_000];
const ISSUES = quick ? [1000] : [1000, 10_000];
const EMOJI = ['tada', 'eyes', 'rocket', 'heart', 'wave', 'fire', 'clap', 'pray', 'bug', 'zap', 'star', 'cake'];

const PAGE =
  '{ issues(first: 50) { nodes { id identifier title priority state { id name } } pageInfo { hasNextPage endCursor } } }';
const ISSUE = '{ issue(id: "ENG-1") { id identifier title priority state { id name } } }';
const CREATE =
  'mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { success issue { id identifier title } } }';
const answersData = (body) => body.startsWith('{"data":{') && !body.includes('"errors"');

/** Calls made first, on empty storage: `run(one)` returns the request of the n-th call. */
const SMALL = [
  { name: 'auth.test', request: (one) => () => one.chat('auth.test', {}) },
  { name: 'auth.test, one connection', connections: 1, request: (one) => () => one.chat('auth.test', {}) },
  { name: `users.list of ${USERS}`, request: (one) => () => one.chat('users.list', {}) },
];

/** Calls repeated at each size of a channel. */
const SIZED = [
  {
    name: 'history(100)',
    request: (one) => () => one.chat('conversations.history', { channel: one.channels[0], limit: 100 }),
  },
  {
    name: 'reactions.add',
    // each message takes twelve, so a long one would leave none to add
    warmUpSeconds: 1,
    // message after message, then the next emoji, so that no reaction exists already
    request: (one) => {
      one.reactions ??= {};
      const at = (one.reactions[one.filled] ??= { next: 0 });
      return () => {
        const place = at.next++;
        const timestamp = one.stamps[place % one.stamps.length];
        const name = EMOJI[Math.floor(place / one.stamps.length) % EMOJI.length];
        return one.chat('reactions.add', { channel: one.channels[0], timestamp, name });
      };
    },
    // a fast server runs out of emoji, and then starts over with those that are there
    accepted: (body) => body.startsWith('{"ok":true') || body.includes('already_reacted'),
  },
];

const post = (one) => (at) =>
  one.chat('chat.postMessage', { channel: one.channels[at.n % CHANNELS], text: `message ${at.n}` });

const WRITES = [
  { name: 'chat.postMessage', request: post },
  { name: 'chat.postMessage, one connection', connections: 1, request: post },
  {
    name: 'chat.postMessage, a reply',
    request: (one) => (at) =>
      one.chat('chat.postMessage', { channel: one.channels[0], thread_ts: one.stamps[0], text: `reply ${at.n}` }),
  },
];

/** Calls of the tracker, which has issues. */
const asks = (query) => ({ tracker: true, accepted: answersData, request: (one) => () => one.tracker(query) });

const createIssue = (one, n) => one.tracker(CREATE, { input: { teamId: one.team, title: `Issue ${n} of the bench` } });

async function compare(all, { name, warmUpSeconds = WARM_UP_SECONDS, ...scenario }, rows) {
  const figures = new Map(all.map((one) => [one, []]));
  for (const one of all) await measured(one, { ...scenario, request: scenario.request(one), seconds: warmUpSeconds });
  for (let i = 0; i < ROUNDS; i++) {
    for (const one of all) {
      const options = { ...scenario, request: scenario.request(one), seconds: SECONDS };
      figures.get(one).push(await measured(one, options));
    }
  }
  rows.push([name, ...all.map((one) => number(medians(figures.get(one)).rate))]);
  console.error(rows.at(-1).join(' | '));
}

async function measure(all) {
  const rows = [
    ['start, ms', ...all.map(({ server }) => number(server.startMs))],
    ['memory when idle, MB', ...all.map(({ idle }) => number(idle))],
  ];
  for (const one of all) {
    one.channels = await inParallel(CHANNELS, async (n) => {
      const { channel } = await ask(one.server, one.chat('conversations.create', { name: `rivals-${n}` }));
      return channel.id;
    });
  }
  for (const scenario of SMALL) await compare(all, scenario, rows);
  for (const size of MESSAGES) {
    for (const one of all) await fill(one, one.channels[0], size);
    for (const scenario of SIZED)
      await compare(all, { ...scenario, name: `${scenario.name} of ${number(size)}` }, rows);
  }
  for (const scenario of WRITES) await compare(all, scenario, rows);
  let stored = 0;
  for (const size of ISSUES) {
    for (const one of all) {
      await inParallel(size - stored, (n) => ask(one.tracked, createIssue(one, n)));
    }
    stored = size;
    await compare(all, { name: `issues(first: 50) of ${number(size)}`, ...asks(PAGE) }, rows);
  }
  await compare(all, { name: 'issue by its key', ...asks(ISSUE) }, rows);
  await compare(all, { name: 'viewer', ...asks('{ viewer { id name email } }') }, rows);
  const request = (one) => (at) => createIssue(one, at.n);
  await compare(all, { name: 'issueCreate', tracker: true, accepted: answersData, request }, rows);
  return table(['', ...all.map(({ name }) => name)], rows);
}

export async function rivals() {
  const all = [];
  const run = async (databaseUrl) => {
    try {
      const other = await rival();
      if (other) all.push(other);
      if (databaseUrl) all.push(await ours('ours, PostgreSQL', databaseUrl));
      all.push(await ours('ours, embedded', ''));
      report(
        'Rivals',
        `${machine()}; calls a second at 32 connections, medians of ${ROUNDS} rounds of ${SECONDS} s by turns after ${WARM_UP_SECONDS} s of warming up, all on this machine. ${RIVAL.replace('@', ' ')} keeps everything in memory and loses it in a crash, takes any token, checks no scope unless told to, and allows each token 5,000 calls an hour, whatever they are (its calls came with new tokens in time); ours stores what it acknowledged, and checks tokens, scopes and allowances (raised, not off).\n\n\`DATABASE_URL=… npm run bench -- rivals --write\`\n\n${await measure(all)}`,
      );
    } finally {
      for (const one of all) await one.stop();
    }
  };
  await (process.env.DATABASE_URL ? withDatabase(run) : run());
}
