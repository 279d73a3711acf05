import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, lstatSync, readFileSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { certificateIn } from '../support/certificate.js';
import { createDatabase, onPostgres, serverUrl } from '../support/databases.js';
import { renderChart } from '../support/helm.js';
import { parseDockerfile, parseDockerignore } from '../support/dockerfile.js';
import { linkTree, listing } from '../support/file-trees.js';
import { buildImage, CHECKOUT, type Image, type StandIns } from '../support/image.js';
import { reservedPort } from '../support/ports.js';
import { scratchFolder } from '../support/scratch.js';
import { ensureBuilt, type Ended, type Running } from '../support/server-process.js';

/** With IMAGE_STEPS=all every RUN line runs unchanged, which takes a minute; .ci/run does so once. */
const everyStep = process.env['IMAGE_STEPS'] === 'all';
const STAND_INS: StandIns = {
  'npm ci --include=dev': (app) => linkTree(join(CHECKOUT, 'node_modules'), join(app, 'node_modules')),
  'node scripts/build.mjs': (app) => linkTree(join(CHECKOUT, 'dist'), join(app, 'dist')),
  'node scripts/build-ui.mjs': () => undefined, // its files came with the line before
};

const read = (path: string): string => readFileSync(join(CHECKOUT, path), 'utf8');

/** The image's user, if this process can switch to it and Node is readable for everybody. */
const [, userLine = ''] = /^USER (.*)$/m.exec(read('Dockerfile')) ?? [];
const [uid, gid] = userLine.split(':').map(Number) as [number, number];
const isRoot = process.getuid?.() === 0;
const other = isRoot && spawnSync(process.execPath, ['-e', ''], { uid, gid, cwd: tmpdir() }).status === 0;
const as = other ? { uid, gid } : undefined;

/**
 * Put in front of a command to make it process 1, as in a container; Linux permits root to do so, but not in every
 * sandbox.
 */
const AS_PROCESS_1 = `unshare --pid --fork --mount-proc setpriv --reuid=${uid} --regid=${gid} --clear-groups --`.split(
  ' ',
);
const canBeFirst =
  other &&
  spawnSync(AS_PROCESS_1[0] as string, [...AS_PROCESS_1.slice(1), process.execPath, '-e', 'process.exit(process.pid)'])
    .status === 1;
const who = other ? `user ${uid}` : 'the user of this test, as only root may change it';
const where = canBeFirst ? 'process 1' : 'any process, as only root may make a process 1';

/** A running process of the image. */
interface Container {
  running: Running;
  env: Record<string, string>;
  /** Resolves to the base URL once it listens. */
  base: () => Promise<string>;
  /** Sends a signal to the server itself, as the program in front of it would not pass it on. */
  end: (signal: NodeJS.Signals) => Promise<Ended>;
}

/** The process id of the image's command: the only child of the program in front of it. */
async function serverOf(running: Running): Promise<number> {
  const pid = running.child.pid as number;
  if (!canBeFirst) return pid;
  const children = (): string => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  await expect.poll(children).toMatch(/^\d+$/);
  const child = Number(children());
  await expect.poll(() => readFileSync(`/proc/${child}/cmdline`, 'utf8')).toContain('dist/server/main.js');
  return child;
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- specs read fields of answers freely
async function send(url: string, authorization: string, body: object): Promise<any> {
  const headers = {
    authorization,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json();
}

const isAlive = ({ child }: Running): boolean => child.exitCode === null && child.signalCode === null;

describe('the Dockerfile', () => {
  it('gets the files that it copies and no others', () => {
    const allowed = parseDockerignore(read('.dockerignore'));
    const copied = parseDockerfile(read('Dockerfile'))
      .filter(({ name, text }) => name === 'COPY' && !text.startsWith('--from='))
      .flatMap(({ text }) => text.split(' ').slice(0, -1));
    const named = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'));
    expect(named.map((line) => line.slice(1)).sort()).toEqual([...new Set(copied)].sort());
    for (const path of ['.git/config', '.env', '.understudy/pgdata', 'node_modules/pg', 'test/support', 'dist'])
      expect(allowed(path), path).toBe(false);
  });
});

describe(`the image, built without an engine and run by ${who} as ${where}`, { timeout: 120_000 }, () => {
  const folder = scratchFolder();
  const token = { bot: `xoxb-123456789012-${'b'.repeat(24)}`, key: `svc_api_${'k'.repeat(40)}` };
  const bearer = `Bearer ${token.bot}`;
  /** Known credentials, and a missing temporary folder, as only the volume may be written. */
  const given = {
    TMPDIR: join(folder, 'none'),
    SVC_DEFAULT_BOT_TOKEN: token.bot,
    SVC_DEFAULT_API_KEY: token.key,
  };
  let image: Image;
  let files: string[];
  let data: string;
  const started: Container[] = [];

  const start = async (env: Record<string, string>): Promise<Container> => {
    const all = { ...given, PORT: String(await reservedPort()), PATH: process.env['PATH'] ?? '', ...env };
    const running = image.start(all, canBeFirst ? AS_PROCESS_1 : []);
    const base = async (): Promise<string> =>
      (JSON.parse(await running.logged('listening on')) as { base: string }).base;
    const end = async (signal: NodeJS.Signals): Promise<Ended> => {
      process.kill(await serverOf(running), signal);
      return running.ended;
    };
    const container = { running, env: all, base, end };
    started.push(container);
    return container;
  };

  beforeAll(() => {
    if (!everyStep) ensureBuilt();
    chmodSync(folder, 0o755);
    image = buildImage({ folder: join(folder, 'build'), standIns: everyStep ? {} : STAND_INS, as });
    image.setReadOnly(true);
    files = listing(image.path('.'));
    data = image.path('/data');
  }, 400_000);

  afterAll(async () => {
    for (const { running, end } of started) if (isAlive(running)) await end('SIGKILL');
    expect(listing(image.path('.')), 'nothing was written beside the volume').toEqual(files);
    image.setReadOnly(false);
  });

  it('uses the same Node in every stage, listens on all addresses, and has the chart’s user', () => {
    expect([...new Set(image.bases)]).toEqual(['node:24-slim']);
    expect(image.env).toMatchObject({ NODE_ENV: 'production', HOST: '0.0.0.0' });
    const { securityContext } = renderChart({ databaseUrl: 'postgres://x' })['Deployment']!['spec'].template.spec;
    expect(securityContext).toMatchObject({ runAsUser: image.user.uid, runAsGroup: image.user.gid });
    if (as) expect(lstatSync(data)).toMatchObject(as);
    expect(image.volumes).toEqual(['/data']);
  });

  it('contains the packages of production and what a start needs, but none that only build', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, { dev?: boolean }> };
    const isThere = (path: string): boolean => existsSync(image.path(path));
    expect(Object.keys(packages).filter((path) => packages[path]?.dev && isThere(path))).toEqual([]);
    expect(isThere('node_modules/typescript')).toBe(false); // although an installed package names it as an optional peer
    expect(files.filter((line) => /^(node_modules\/.*\.(map|[cm]?ts)|dist\/.*\.map) /.test(line))).toEqual([]);
    expect(readdirSync(image.path('dist')).filter((name) => /^template-\w+\.tar$/.test(name))).toHaveLength(1);
    const megabytes = files.reduce((sum, line) => sum + Number(line.split(' ').at(-2)), 0) / 2 ** 20;
    // PostgreSQL takes 55 of these, PGlite 18
    expect(megabytes).toBeLessThan(165);
  });

  it('keeps its data in the volume, is healthy while it runs, and stops cleanly, also during its start', async () => {
    const first = await start({});
    const base = await first.base();
    expect(await image.health(first.env)).toMatchObject({ code: 0, stderr: '' });
    const sent = await send(`${base}/api/chat.postMessage`, bearer, { channel: '#general', text: 'kept' });
    expect(sent).toMatchObject({ ok: true });

    // modules that are loaded late, from packages that were trimmed: the documentation, GraphQL, the tools
    expect((await fetch(`${base}/api/docs`)).status).toBe(200);
    expect((await fetch(`${base}/api/docs/swagger-ui-bundle.js`)).status).toBe(200);
    expect(await (await fetch(`${base}/api/docs-json`)).json()).toHaveProperty('paths');
    const query = { query: '{ issues(first: 1) { nodes { id } } viewer { id } }' };
    expect(await send(`${base}/graphql`, token.key, query)).toHaveProperty('data.viewer.id');
    const tools = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    expect(await send(`${base}/api/mcp/chat`, bearer, tools)).toHaveProperty('result.tools');
    expect(JSON.parse(image.run('node', 'bin/understudy.mjs', 'tokens', '--json').stdout)).toMatchObject({
      bot_token: token.bot,
    });

    // a killed server leaves its lock of process 1, which is also the id of the next one
    await first.end('SIGKILL');
    const gone = await image.health(first.env);
    expect(gone.code).toBe(1);
    expect(gone.stderr).toBe(`understudy: http://127.0.0.1:${first.env['PORT']} is not healthy: ECONNREFUSED\n`);

    const second = await start({});
    const url = `${await second.base()}/api/conversations.history`;
    expect(await send(url, bearer, { channel: sent.channel })).toMatchObject({ messages: [{ text: 'kept' }] });
    expect(await second.end('SIGTERM')).toMatchObject({ code: 0, signal: null, stdout: '' });

    const early = await start({});
    await early.running.logged('SVC_PUBLIC_URL'); // the first line of its log
    const ended = await early.end('SIGTERM');
    expect(ended.code).toBe(143);
    expect(ended.stderr).not.toContain('listening on');
  });

  it.skipIf(serverUrl === undefined)(`needs no volume and no temporary folder on PostgreSQL${onPostgres}`, async () => {
    const before = listing(data);
    const database = await createDatabase();
    try {
      const server = await start({ DATABASE_URL: database.url });
      expect(await send(`${await server.base()}/api/auth.test`, bearer, {})).toMatchObject({ ok: true });
      expect(await image.health(server.env)).toMatchObject({ code: 0 });
      expect(await server.end('SIGTERM')).toMatchObject({ code: 0 });
      expect(listing(data)).toEqual(before);
    } finally {
      await database.drop();
    }
  });

  it('is healthy over https with a self-signed certificate, and runs from memory when nothing can be written', async () => {
    const { cert, key } = certificateIn(folder);
    const server = await start({ SVC_DATA_DIR: 'memory', SVC_TLS_CERT_FILE: cert, SVC_TLS_KEY_FILE: key });
    expect(await server.base()).toMatch(/^https:/);
    expect(await image.health(server.env)).toMatchObject({ code: 0, stderr: '' });
    const { SVC_TLS_CERT_FILE: _cert, SVC_TLS_KEY_FILE: _key, ...plain } = server.env;
    expect(await image.health(plain as typeof server.env)).toMatchObject({ code: 1 });
    const { code, stderr } = await server.end('SIGTERM');
    expect(code).toBe(0);
    if (as) expect(stderr).toContain('commands cannot reach this server');
    expect((await image.health(server.env)).stderr).toMatch(/https:\/\/127\.0\.0\.1:\d+ is not healthy: ECONNREFUSED/);
  });
});
