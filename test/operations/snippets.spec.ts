import { Ajv } from 'ajv';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseSettings } from '../../src/kernel/config/settings.js';
import { unknownSettings } from '../../src/kernel/config/unknown-settings.js';
import { CHART, defaultValues, renderChart } from '../support/helm.js';
import { CHECKOUT } from '../support/image.js';
import { Reader } from '../support/reader.js';
import { scratchFolder } from '../support/scratch.js';
import { ensureBuilt, ServerProcess } from '../support/server-process.js';
import { snippet, snippetsOf } from '../support/snippets.js';

/**
 * Documents whose blocks are run; docs/TESTING.md has its own spec, the others are generated or contain no commands.
 */
const DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  'deploy/helm/understudy/README.md',
  'docs/APPS.md',
  'docs/OPERATIONS.md',
  'docs/SCALING.md',
  'docs/SECURITY.md',
];
/** Languages of blocks that can be run. */
const RUN = ['sh', 'ts', 'js', 'yaml', 'python'];

/** Blocks that cannot be run here, with the reason. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'README.md#build-an-app/5': 'slack_sdk is no package of ours; clients/python has tests of its own',
  'README.md#run-it-for-a-team/1': 'names a PostgreSQL of the reader’s; backup.spec.ts runs createdb as it stands here',
  'deploy/helm/understudy/README.md#the-chart/1':
    'there is neither a cluster nor the helm client; helm.spec.ts renders the chart',
  'deploy/helm/understudy/README.md#the-chart/2': 'the same',
  'docs/OPERATIONS.md#the-image/1': 'there is no container engine; container.spec.ts does what the Dockerfile says',
};

const specs = (): string =>
  readdirSync(join(CHECKOUT, 'test', 'operations'))
    .filter((name) => name.endsWith('.spec.ts'))
    .map((name) => readFileSync(join(CHECKOUT, 'test', 'operations', name), 'utf8'))
    .join('\n');

describe('the blocks of documents', () => {
  it('are run by a spec here, or are on the list of those that cannot be, with a reason', () => {
    const blocks = DOCUMENTS.flatMap(snippetsOf).filter(({ language }) => RUN.includes(language));
    const text = specs();
    for (const { key } of blocks) expect(text, `no spec runs ${key}`).toContain(`'${key}'`);
    const keys = new Set(blocks.map(({ key }) => key));
    expect(Object.keys(NOT_RUN).filter((key) => !keys.has(key))).toEqual([]);
  });

  it('use only existing settings', () => {
    const known = (name: string): boolean =>
      unknownSettings({ [name]: 'x' }).length === 0 || /_$/.test(name) || name === 'SVC_TEST_BROWSER';
    for (const document of DOCUMENTS) {
      const names = readFileSync(join(CHECKOUT, document), 'utf8').matchAll(/\bSVC_[A-Z_]+/g);
      for (const [name] of names) expect(known(name), `${document}: ${name}`).toBe(true);
    }
  });
});

describe('the deployment files', () => {
  it('include example values that allow requests to apps', () => {
    const values = parse(snippet('deploy/helm/understudy/README.md#the-chart/3').text) as Record<string, object>;
    const schema = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8')) as object;
    expect(new Ajv({ strict: false }).compile(schema)({ ...defaultValues(), ...values })).toBe(true);
    const { egress } = renderChart({ databaseUrl: 'postgres://x', ...values })['NetworkPolicy']!['spec'];
    expect(egress).toContainEqual(expect.objectContaining({ ports: [{ port: 3000 }] }));
  });

  it('include compose files with settings that the server knows and accepts', () => {
    const environment: Record<string, string> = {};
    for (const name of ['compose.yaml', 'compose.full.yaml']) {
      const file = parse(readFileSync(join(CHECKOUT, 'deploy', name), 'utf8')) as {
        services: { understudy: { environment: Record<string, string> } };
      };
      Object.assign(environment, file.services.understudy.environment);
    }
    expect(unknownSettings(environment)).toEqual([]);
    expect(parseSettings(environment)).toMatchObject({ mode: 'full', methods: 'all' });
  });
});

describe('the documented sandbox per pull request', { timeout: 120_000 }, () => {
  const folder = scratchFolder();
  const admin = 'a-named-token-of-a-team';
  let server: ServerProcess;

  beforeAll(async () => {
    ensureBuilt();
    server = await ServerProcess.start({ SVC_DATA_DIR: 'memory', SVC_ADMIN_TOKENS: `web:${admin}` });
  }, 300_000);

  afterAll(async () => void (await server.kill('SIGTERM')));

  it('is created with its credentials in the environment, and deleted, beside other sandboxes', async () => {
    const workflow = parse(readFileSync(join(CHECKOUT, 'deploy/examples/sandbox-per-pull-request.yaml'), 'utf8')) as {
      env: Record<string, string>;
      jobs: Record<string, { steps: { run: string }[] }>;
    };
    expect(Object.keys(workflow.env)).toEqual(['SVC_API_URL', 'SVC_ADMIN_TOKEN', 'NUMBER']);
    const base = { SVC_API_URL: `${server.baseUrl}/api`, SVC_ADMIN_TOKEN: admin, GITHUB_ENV: 'steps.env' };
    const runner = new Reader(folder, {}, { ...base, NUMBER: '7' });
    const run = (job: string): void => workflow.jobs[job]?.steps.forEach((step) => void runner.sh(step.run));
    const listed = (): { labels: Record<string, string> }[] =>
      (
        JSON.parse(runner.sh('curl -sS "$SVC_API_URL/sandboxes" -H "X-Admin-Token: $SVC_ADMIN_TOKEN"')) as {
          sandboxes: { labels: Record<string, string> }[];
        }
      ).sandboxes;
    run('open');
    runner.sh('NUMBER=8');
    run('open');
    const env = readFileSync(join(folder, 'steps.env'), 'utf8');
    const token = /^SLACK_BOT_TOKEN=(.*)$/m.exec(env)?.[1] as string;
    expect(await server.call('auth.test', token)).toMatchObject({ ok: true });
    expect(
      listed()
        .map(({ labels }) => labels['pull-request'])
        .sort(),
    ).toEqual(['7', '8']);
    runner.sh('NUMBER=7');
    run('close');
    expect(listed().map(({ labels }) => labels['pull-request'])).toEqual(['8']);
    expect(await server.call('auth.test', token)).toMatchObject({ error: 'account_inactive' });
  });
});
