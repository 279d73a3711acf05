import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { useApp } from '../support/app.js';
import { renderChart } from '../support/helm.js';
import { CHECKOUT } from '../support/image.js';
import { installed, installedPackage, withoutRegistry } from '../support/package.js';
import { reservedPort } from '../support/ports.js';
import { scratchFolder } from '../support/scratch.js';
import { ensureBuilt, ServerProcess } from '../support/server-process.js';
import { JAVA_STAND_INS, NODE_STAND_IN } from '../support/testcontainers.js';

const app = useApp();

const EXAMPLES = join(CHECKOUT, 'examples');
const read = (...path: string[]): string => readFileSync(join(EXAMPLES, ...path), 'utf8');

const pythonWith = (modules: string): string | undefined =>
  ['/usr/bin/python3', 'python3'].find((program) => spawnSync(program, ['-c', `import ${modules}`]).status === 0);
const without = (modules: string): string =>
  pythonWith(modules) === undefined ? ` (skipped: no python3 with ${modules} is installed)` : '';
const hasJava = spawnSync('javac', ['--version']).status === 0;
const withoutJava = hasJava ? '' : ' (skipped: there is no javac)';

interface Step {
  run?: string;
  uses?: string;
  if?: string;
}

interface Manifest {
  version?: string;
  dependencies: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

interface Workflow {
  jobs: {
    test: { env: Record<string, string>; steps: Step[]; services?: Record<string, { env: Record<string, string> }> };
  };
}

describe('examples/', { timeout: 240_000 }, () => {
  const folder = scratchFolder();
  /** The environment that points a test suite to the server of the specs. */
  const shared = () => ({ UNDERSTUDY_URL: app.baseUrl, UNDERSTUDY_ADMIN_TOKEN: app.settings.adminToken as string });

  beforeAll(() => {
    ensureBuilt();
    installedPackage(folder);
  }, 300_000);

  /** A copy of an example with the package installed. */
  function copyOf(name: string, as = name): string {
    const place = join(folder, as);
    cpSync(join(EXAMPLES, name), place, { recursive: true, filter: (path) => !path.includes('node_modules') });
    return place;
  }

  async function run(command: string, args: string[], cwd: string, env: Record<string, string> = {}) {
    const child = spawn(command, args, {
      cwd,
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], NO_COLOR: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (said += text.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, said };
  }

  it('contain what the README lists, and nothing else', () => {
    const listed = [...read('README.md').matchAll(/^\| \[[\w-]+\]\(([\w-]+)\)/gm)].map(([, name]) => name);
    const there = readdirSync(EXAMPLES, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(listed.sort()).toEqual(there.map(({ name }) => name).sort());
    for (const name of listed) expect(existsSync(join(EXAMPLES, name as string, 'README.md')), name).toBe(true);
  });

  describe('a Node project', () => {
    const commandOf = (name: string): string => /```sh\n([^\n]+)\n```/.exec(read(name, 'README.md'))?.[1] as string;

    it.each(['bolt-http', 'bolt-socket-mode', 'linear-sync', 'streaming-agent'])(
      '%s has a consistent lockfile without registry addresses',
      async (name) => {
        expect(read(name, '.npmrc')).toMatch(/^omit-lockfile-registry-resolved=true$/m);
        const text = read(name, 'package-lock.json');
        expect(text).not.toContain('://registry');
        const { packages } = JSON.parse(text) as { packages: Record<string, Manifest & { resolved?: string }> };
        const resolved = Object.values(packages).flatMap((each) => each.resolved ?? []);
        expect(resolved).toEqual(['file:../..']);
        // npm refuses a lockfile that does not match package.json
        const place = join(folder, 'checkout', 'examples', name);
        mkdirSync(place, { recursive: true });
        cpSync(join(CHECKOUT, 'package.json'), join(folder, 'checkout', 'package.json'));
        for (const file of ['package.json', 'package-lock.json', '.npmrc']) {
          cpSync(join(EXAMPLES, name, file), join(place, file));
        }
        const options = ['--dry-run', '--offline', '--cache', join(folder, 'no cache')];
        const { code, said } = await run('npm', ['ci', ...options], place);
        expect(code, said).toBe(0);
        // the dependencies of the package are listed in its own package.json
        const root = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8')) as Manifest;
        const { version, dependencies, optionalDependencies, peerDependencies } = root;
        const locked = packages['node_modules/understudy'];
        expect(locked).toMatchObject({ version, dependencies, optionalDependencies, peerDependencies });
        expect(Object.keys(locked?.dependencies ?? {})).toEqual(Object.keys(dependencies));
      },
    );

    it.each([
      ['bolt-http', 8],
      ['bolt-socket-mode', 3],
      ['linear-sync', 2],
      ['streaming-agent', 4],
    ])('%s passes its %i tests with the command of its README', async (name, tests) => {
      expect(commandOf(name)).toBe('npm ci && npm test');
      const place = copyOf(name);
      // one with the packages of its lockfile; the others, which differ little, with the packages installed here
      if (name === 'bolt-http' && withoutRegistry() === '') {
        symlinkSync(join(lockedProject(name), 'node_modules'), join(place, 'node_modules'));
      }
      // two of them start a server by themselves
      const isAlone = name === 'bolt-http' || name === 'streaming-agent';
      const { code, said } = await run('npm', ['test'], place, isAlone ? {} : shared());
      expect(code, said).toBe(0);
      expect(said).toMatch(new RegExp(`Tests +${tests} passed \\(${tests}\\)`));
    });

    /** The example as in a checkout, after `npm ci`. */
    function lockedProject(name: string): string {
      const files = ['package.json', 'package-lock.json', '.npmrc'];
      const write = files.map((file) => `cat > 'examples/${name}/${file}' <<'END'\n${read(name, file)}\nEND`);
      const steps = ['tar -xzf ./understudy-*.tgz --strip-components=1', `mkdir -p 'examples/${name}'`, ...write];
      const { project } = installed([[...steps, `cd 'examples/${name}' && npm ci`].join('\n')]);
      return join(project, 'examples', name);
    }
  });

  describe.each([
    ['slack-sdk-python', 'pytest, slack_sdk', 3],
    ['streaming-agent-python', 'pytest', 4],
  ])('a Python project', (name, modules, tests) => {
    const python = pythonWith(modules);
    it.skipIf(python === undefined)(`${name} passes its ${tests} tests${without(modules)}`, async () => {
      const options = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider'];
      const { code, said } = await run(python as string, options, copyOf(name), {
        PYTHONPATH: join(CHECKOUT, 'clients', 'python', 'src'),
        PYTHONDONTWRITEBYTECODE: '1',
        UNDERSTUDY_COMMAND: `'${process.execPath}' '${join(folder, 'node_modules', '.bin', 'understudy')}'`,
      });
      expect(code, said).toBe(0);
      expect(said).toContain(`${tests} passed`);
    });
  });

  describe('github-actions', () => {
    const workflow = (name: string): Workflow => parse(read('github-actions', name)) as Workflow;
    /**
     * Steps that a runner provides and this spec does not need: the checkout, Node, and packages, which are
     * installed.
     */
    const isGiven = ({ uses, run: line, if: when }: Step): boolean =>
      uses !== undefined || line === 'npm ci' || when !== undefined;
    const stepsOf = ({ jobs }: Workflow): string[] =>
      jobs.test.steps.filter((step) => !isGiven(step)).map((step) => step.run as string);

    /** A test suite that prints the server it uses. */
    function project(name: string): string {
      const place = copyOf('linear-sync', name);
      rmSync(join(place, 'test', 'sync.test.js'));
      writeFileSync(
        join(place, 'test', 'server.test.js'),
        `import { expect, test } from 'understudy/vitest';
         test('meets the server of the job', ({ understudy, sandbox }) => {
           expect(sandbox.id).toMatch(/^Sb0/);
           expect(understudy.url).toBe(process.env.EXPECTED_URL);
         });`,
      );
      return place;
    }

    it('npx.yml starts a server, waits for it and runs the tests there', async () => {
      const read = workflow('npx.yml');
      const port = String(await reservedPort());
      const url = `http://127.0.0.1:${port}`;
      const env = { ...read.jobs.test.env, PORT: port, UNDERSTUDY_URL: url, EXPECTED_URL: url };
      // each step is a shell of its own; its background processes end with the job
      const script = stepsOf(read).map((step, n) => `cat > step${n}.sh <<'STEP'\n${step}\nSTEP\nbash -e step${n}.sh`);
      const place = project('with npx');
      writeFileSync(join(place, 'job.sh'), `set -e\n${script.join('\n')}\n`);
      const { code, said } = await run(
        'setsid',
        ['--wait', 'bash', '-c', 'bash job.sh; code=$?; trap "" TERM; kill -TERM 0; exit $code'],
        place,
        env,
      );
      expect(code, said).toBe(0);
      expect(said).toMatch(/Tests +1 passed/);
    });

    it('service.yml gives the service the token that the tests have, and its steps run against such a server', async () => {
      const read = workflow('service.yml');
      const service = read.jobs.test.services?.['understudy'];
      const token = read.jobs.test.env['UNDERSTUDY_ADMIN_TOKEN'] as string;
      expect(service?.env['SVC_ADMIN_TOKEN']).toBe(token);
      const { SVC_PUBLIC_URL: _, ...settings } = service?.env ?? {};
      const server = await ServerProcess.start(settings);
      const env = { UNDERSTUDY_ADMIN_TOKEN: token, UNDERSTUDY_URL: server.baseUrl, EXPECTED_URL: server.baseUrl };
      const place = project('with a service');
      for (const step of stepsOf(read)) {
        const { code, said } = await run('bash', ['-e', '-c', step], place, env);
        expect(code, said).toBe(0);
        expect(said).toMatch(/Tests +1 passed/);
      }
      expect(stepsOf(read)).toEqual(['npm test']);
      await server.kill('SIGTERM');
    });
  });

  describe('testcontainers', () => {
    it('compiles in Node against a stand-in of its library', async () => {
      const place = copyOf('testcontainers', 'containers');
      writeFileSync(join(place, 'testcontainers.d.ts'), NODE_STAND_IN);
      const options = { strict: true, noEmit: true, module: 'nodenext', target: 'es2023', skipLibCheck: true };
      const lib = { lib: ['es2023', 'esnext.disposable', 'dom'], types: ['node'] };
      writeFileSync(join(place, 'tsconfig.json'), JSON.stringify({ compilerOptions: { ...options, ...lib } }));
      writeFileSync(join(place, 'package.json'), '{ "type": "module" }');
      const { code, said } = await run(
        process.execPath,
        [join(folder, 'node_modules/typescript/bin/tsc'), '-p', '.'],
        place,
      );
      expect(code, said).toBe(0);
    });

    it.skipIf(!hasJava)(`compiles in Java against stand-ins of its libraries${withoutJava}`, async () => {
      const place = copyOf('testcontainers', 'java');
      for (const [path, text] of Object.entries(JAVA_STAND_INS)) {
        mkdirSync(join(place, path, '..'), { recursive: true });
        writeFileSync(join(place, path), text);
      }
      const sources = ['UnderstudyTest.java', ...Object.keys(JAVA_STAND_INS)];
      const { code, said } = await run('javac', ['-d', 'classes', ...sources], place);
      expect(code, said).toBe(0);
    });
  });

  describe('kubernetes-sandbox-per-pr', () => {
    const values = parse(read('kubernetes-sandbox-per-pr', 'values.yaml')) as Record<string, unknown>;
    const job = (name: string) =>
      // as `envsubst '$PR'` does, which the files' first lines tell to use
      parse(read('kubernetes-sandbox-per-pr', name).replace(/\$(?:PR\b|\{PR\})/g, '42')) as {
        kind: string;
        metadata: { labels: object };
        spec: { template: { spec: Record<string, { args: string[] }[]> } };
      };

    it('has values that the chart renders, with the operator’s Secret', () => {
      const { Deployment, ConfigMap } = renderChart(values);
      expect(JSON.stringify(Deployment)).toContain('understudy-operator');
      expect(JSON.stringify([Deployment, ConfigMap])).toContain('SVC_SANDBOX_TTL_SECONDS');
    });

    it('has Jobs that create a sandbox with its label and time to live, and delete it', async () => {
      const [open, close] = [job('open.yaml'), job('close.yaml')];
      for (const { kind, metadata } of [open, close]) {
        expect([kind, metadata.labels]).toMatchObject(['Job', { 'pull-request': '42' }]);
      }
      for (const name of ['open.yaml', 'close.yaml']) {
        expect(read('kubernetes-sandbox-per-pr', name)).toMatch(/PR=42 envsubst '\$PR' </);
      }
      const token = app.settings.adminToken as string;
      const env = { PR: '42', SHARED: folder, SVC_API_URL: `${app.baseUrl}/api`, SVC_ADMIN_TOKEN: token };
      const ended = (line: string | undefined, more = {}) =>
        run('/bin/sh', ['-c', line as string], CHECKOUT, { ...env, ...more });
      const shell = async (line: string | undefined) => {
        const { code, said } = await ended(line);
        expect(code, said).toBe(0);
      };
      const sandboxes = async () => {
        const response = await fetch(`${app.baseUrl}/api/sandboxes?label=pull-request:42`, {
          headers: { 'x-admin-token': token },
        });
        return ((await response.json()) as { sandboxes: { name: string; expires_at: number; created: number }[] })
          .sandboxes;
      };
      await shell(open.spec.template.spec['initContainers']?.[0]?.args[0]);
      const [made] = await sandboxes();
      expect(made?.name).toBe('pull request 42');
      expect((made?.expires_at as number) - (made?.created as number)).toBe(7 * 86_400);
      expect(readFileSync(join(folder, 'sandbox.env'), 'utf8')).toMatch(/^SLACK_BOT_TOKEN=xoxb-\S+$/m);
      await shell(close.spec.template.spec['containers']?.[0]?.args[0]);
      expect(await sandboxes()).toEqual([]);
      // a Job that could not do its work fails, so Kubernetes tries again
      const wrong = { SVC_ADMIN_TOKEN: 'not-a-token-of-this-server' };
      expect((await ended(open.spec.template.spec['initContainers']?.[0]?.args[0], wrong)).code).not.toBe(0);
      expect((await ended(close.spec.template.spec['containers']?.[0]?.args[0], wrong)).code).not.toBe(0);
    });
  });
});
