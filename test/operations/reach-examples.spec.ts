import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { parseSettings } from '../../src/kernel/config/settings.js';
import { unknownSettings } from '../../src/kernel/config/unknown-settings.js';
import { CHECKOUT } from '../support/image.js';
import { scratchFolder } from '../support/scratch.js';
import { command, ensureBuilt, ServerProcess } from '../support/server-process.js';

const read = (path: string): string => readFileSync(join(CHECKOUT, path), 'utf8');

/** The hosts that docs/reference/reach.md#hosts has rows for, but for workspaces' own. */
const HOSTS = [
  'slack.com',
  'www.slack.com',
  'api.slack.com',
  'hooks.slack.com',
  'files.slack.com',
  'wss-primary.slack.com',
  'wss-backup.slack.com',
  'mcp.slack.com',
  'linear.app',
  'api.linear.app',
  'uploads.linear.app',
  'mcp.linear.app',
];
const hasCurl = spawnSync('curl', ['--version']).status === 0;

interface Compose {
  services: {
    understudy: { environment: Record<string, string>; networks: { default: { aliases: string[] } } };
    app: { environment: Record<string, string> };
  };
}

describe('the examples for apps that know no base URL', { timeout: 120_000 }, () => {
  const folder = scratchFolder();
  const certs = join(folder, 'certs');
  const env = { SVC_CA_DIR: join(folder, 'ca') };
  const compose = parse(read('examples/reach-compose/compose.yaml')) as Compose;
  let server: ServerProcess;

  beforeAll(async () => {
    ensureBuilt();
    const issued = await command(['ca', 'issue', '--out', certs, '--host', 'understudy'], env);
    expect(issued.code, issued.stderr).toBe(0);
    // as the container has it, but for the port and the paths
    server = await ServerProcess.start({
      ...compose.services.understudy.environment,
      HOST: '127.0.0.1',
      PORT: '0',
      SVC_PUBLIC_URL: '',
      SVC_TLS_CERT_FILE: join(certs, 'server.pem'),
      SVC_TLS_KEY_FILE: join(certs, 'server.key'),
    });
  }, 300_000);
  afterAll(async () => void (await server.kill('SIGTERM')));

  it('reach-compose has all of the vendors’ names, and settings that the server accepts', () => {
    const { understudy, app } = compose.services;
    expect(understudy.networks.default.aliases).toEqual(HOSTS);
    expect(unknownSettings(understudy.environment)).toEqual([]);
    const { SVC_TLS_CERT_FILE: _cert, SVC_TLS_KEY_FILE: _key, ...rest } = understudy.environment;
    expect(parseSettings(rest)).toMatchObject({ port: 443, methods: 'all' });
    expect(app.environment['SLACK_BOT_TOKEN']).toBe(understudy.environment['SVC_DEFAULT_BOT_TOKEN']);
    expect(app.environment['LINEAR_API_KEY']).toBe(understudy.environment['SVC_DEFAULT_API_KEY']);
  });

  it.runIf(hasCurl)('reach-compose’s server answers under each name, by the certificate of ca issue', () => {
    const { port } = new URL(server.baseUrl);
    const token = compose.services.app.environment['SLACK_BOT_TOKEN'] as string;
    const curl = (url: string): string => {
      const { hostname } = new URL(url);
      const args = ['-sS', '--cacert', join(certs, 'ca.pem'), '--connect-to', `${hostname}:443:127.0.0.1:${port}`];
      return spawnSync('curl', [...args, '-H', `Authorization: Bearer ${token}`, url], { encoding: 'utf8' }).stdout;
    };
    expect(JSON.parse(curl('https://slack.com/api/auth.test'))).toMatchObject({ ok: true });
    for (const host of HOSTS) expect(curl(`https://${host}/api/sandboxes`), host).toContain('not_found_on_host');
  });

  it('reach-compose’s app runs unchanged', async () => {
    const { SLACK_BOT_TOKEN: _token, LINEAR_API_KEY: _key, ...trust } = compose.services.app.environment;
    expect(Object.values(trust)).toEqual(['/certs/ca.pem', '/certs/ca.pem', '/certs/ca.pem']);
    const app = join(CHECKOUT, 'examples', 'reach-compose', 'app', 'app.mjs');
    const ended = await command(['run', '--new', '--offline', '--', process.execPath, app], env);
    expect(ended.stdout, ended.stderr).toBe('true Admin\n');
  });

  it('reach-github-actions runs the suite of a project and writes its report', () => {
    const workflow = parse(read('examples/reach-github-actions/tests.yml')) as {
      jobs: { test: { steps: { run?: string; with?: { path?: string } }[] } };
    };
    const { steps } = workflow.jobs.test;
    const line = steps.map(({ run }) => run ?? '').find((run) => run.includes('understudy run')) as string;
    expect(line).toMatch(/^npx --no-install understudy run .* -- npm test$/);
    const test = `node -e "fetch('https://slack.com/api/api.test').then(({ status }) => process.exit(status === 200 ? 0 : 1))"`;
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts: { test } }));
    const program = `'${process.execPath}' '${join(CHECKOUT, 'bin', 'understudy.mjs')}'`;
    const { status, stderr } = spawnSync('bash', ['-e', '-c', line.replace('npx --no-install understudy', program)], {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder, ...env },
      encoding: 'utf8',
    });
    expect(status, stderr).toBe(0);
    const report = steps.find(({ with: given }) => given?.path !== undefined)?.with?.path as string;
    expect(readFileSync(join(folder, report), 'utf8')).toContain('tests="4" failures="0"');
  });

  it('vendor-hosts.yaml leads all of the vendors’ names to the service, in both ways', () => {
    const [rewriting, deployment] = parseAllDocuments(read('deploy/examples/vendor-hosts.yaml')).map((document) =>
      document.toJS(),
    ) as [{ data: { rewrites: string } }, { spec: { template: { spec: { hostAliases: { hostnames: string[] }[] } } } }];
    expect(rewriting.data.rewrites.trim().split('\n')).toEqual(
      HOSTS.map((host) => `rewrite name exact ${host} understudy.default.svc.cluster.local`),
    );
    expect(deployment.spec.template.spec.hostAliases.flatMap(({ hostnames }) => hostnames)).toEqual(HOSTS);
  });
});
