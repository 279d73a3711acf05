import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { Deliveries, Fault, Person, Pool, Sandbox, SandboxClock, Server } from '../../clients/js/src/testing.js';
import { useApp } from '../support/app.js';
import { CHECKOUT } from '../support/image.js';
import { scratchFolder } from '../support/scratch.js';
import { ensureBuilt } from '../support/server-process.js';

const can = (program: string, line: string): boolean => spawnSync(program, ['-c', line]).status === 0;
/** Debian's Python, or another one with pytest. */
const python = ['/usr/bin/python3', 'python3'].find((program) => can(program, 'import pytest')) ?? '';
const without = python === '' ? ' (skipped: no python3 with pytest is installed)' : '';
const hasXdist = python !== '' && can(python, 'import xdist');
const withoutXdist = hasXdist ? '' : ' (skipped: pytest-xdist is not installed)';
const canInstall = python !== '' && can(python, 'import setuptools, wheel, pip');
const withoutPip = canInstall ? '' : ' (skipped: no pip with setuptools and wheel is installed)';

const SOURCE = join(CHECKOUT, 'clients', 'python');
const app = useApp();

async function ran(program: string, args: string[], cwd: string, env: Record<string, string> = {}) {
  const child = spawn(program, args, {
    cwd,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      PYTHONPATH: join(SOURCE, 'src'),
      PYTHONDONTWRITEBYTECODE: '1',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (said += text.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, said };
}

const pytest = (cwd: string, args: string[], env: Record<string, string> = {}) => {
  const options = ['-m', 'pytest', '-p', 'understudy_testing.pytest_plugin', '-p', 'no:cacheprovider', '-q'];
  return ran(python, [...options, ...args], cwd, env);
};

describe.skipIf(python === '')(`clients/python${without}`, { timeout: 120_000 }, () => {
  const folder = scratchFolder();
  const shared = () => ({
    UNDERSTUDY_URL: app.baseUrl,
    UNDERSTUDY_ADMIN_TOKEN: app.settings.adminToken as string,
  });

  beforeAll(ensureBuilt, 300_000);

  function suite(name: string, tests: string): string {
    const place = join(folder, name);
    mkdirSync(place);
    writeFileSync(join(place, `test_${name}.py`), tests);
    return place;
  }

  it('passes its own tests against a server that it starts', async () => {
    const command = { UNDERSTUDY_COMMAND: `"${process.execPath}" bin/understudy.mjs` };
    const { code, said } = await pytest(CHECKOUT, ['clients/python/tests'], command);
    expect(code, said).toBe(0);
    expect(said).toMatch(/\d+ passed/);
  });

  it('keeps the sandbox of a failed test, prints its link, and gives the next test another one', async () => {
    const { code, said } = await pytest(suite('failing', FAILING), [], shared());
    expect(code, said).toBe(1);
    expect(said).toMatch(/2 failed, 2 passed/);
    expect(said).toMatch(/waited \d+ ms for 1 message with .*"\$matches": "deployed".*, found 0/);
    expect(said).toMatch(/closest 1:\nE +text: expected .*deployed.*, was "deploying"/);
    expect(said).toContain('the last entries of the timeline:');
    const ids = [...said.matchAll(/failed in (Sb0\w{9})/g)].map(([, id]) => id as string);
    expect(new Set(ids).size).toBe(2);
    expect(said).toContain(`the sandbox is kept: ${ids[0]}`);
    for (const id of ids) {
      const headers = { 'x-admin-token': app.settings.adminToken as string };
      expect((await fetch(`${app.baseUrl}/api/sandboxes/${id}`, { headers })).status).toBe(200);
      await fetch(`${app.baseUrl}/api/sandboxes/${id}`, { method: 'DELETE', headers });
    }
  });

  it.skipIf(!hasXdist)(`gives each worker of pytest-xdist a separate sandbox${withoutXdist}`, async () => {
    const place = suite('workers', WORKERS);
    const { code, said } = await pytest(place, ['-n', '2', '--dist', 'each'], {
      UNDERSTUDY_COMMAND: `"${process.execPath}" "${join(CHECKOUT, 'bin', 'understudy.mjs')}"`,
    });
    expect(code, said).toBe(0);
    expect(said).toMatch(/4 passed/);
    const seen = ['gw0', 'gw1'].map((worker) => readFileSync(join(place, worker), 'utf8').split(' '));
    // one server, started by the first process, and two sandboxes
    expect(seen[0]?.[0]).toBe(seen[1]?.[0]);
    expect(seen[0]?.[1]).not.toBe(seen[1]?.[1]);
  });

  it.skipIf(!canInstall)(`installs with its types and plugin, without dependencies${withoutPip}`, async () => {
    const target = join(folder, 'site');
    // a build leaves files in its folder, so it uses a copy
    const source = join(folder, 'source');
    spawnSync('cp', ['-r', SOURCE, source]);
    const options = ['--quiet', '--no-index', '--no-build-isolation', '--disable-pip-version-check'];
    const made = await ran(python, ['-m', 'pip', 'install', ...options, '--target', target, source], folder);
    expect(made.code, made.said).toBe(0);
    const place = suite('installed', 'def test_it_is_there(understudy):\n    assert understudy.url\n');
    const check = `import understudy_testing, pathlib; print(pathlib.Path(understudy_testing.__file__).with_name("py.typed").exists())
from understudy_testing.tasks import load_tasks; print(len(load_tasks()))`;
    const typed = await ran(python, ['-c', check], place, { PYTHONPATH: target });
    expect(typed.said.trim()).toBe('True\n30');
    // the plugin is not named: pytest discovers it
    const found = await ran(python, ['-m', 'pytest', '-q', '-p', 'no:cacheprovider'], place, {
      ...shared(),
      PYTHONPATH: target,
    });
    expect(found.code, found.said).toBe(0);
  });

  it("has every method of understudy/testing, in Python's naming", async () => {
    const spelled = (name: string): string =>
      ({ as: 'as_', assert: 'assert_' })[name] ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const verbs = ({ prototype }: { prototype: object }): string[] =>
      Object.getOwnPropertyNames(prototype)
        .filter((name) => name !== 'constructor' && !PRIVATE.has(name))
        .map(spelled);
    const classes = { Pool, Server, Sandbox, Person, Fault, Deliveries, Clock: SandboxClock };
    const names = `{name: [each for each in dir(module) if not each.startswith("_")] for name, module in (${Object.keys(
      classes,
    )
      .map((name) => `("${name}", ${name})`)
      .join(', ')})}`;
    const line = `import json; from understudy_testing import *; from understudy_testing._sandbox import Clock, Deliveries; print(json.dumps(${names}))`;
    const { said } = await ran(python, ['-c', line], folder);
    const there = JSON.parse(said) as Record<string, string[]>;
    for (const [name, type] of Object.entries(classes)) {
      expect(there[name], name).toEqual(expect.arrayContaining(verbs(type as { prototype: object })));
    }
  });
});

/** Members that are private in TypeScript, or set in the constructor. */
const PRIVATE = new Set(['failure', 'open', 'tokenOf', 'withIds', 'act', 'signedIn', 'adminToken']);

const SEED = `
import os, re
import pytest
import json, urllib.request


@pytest.fixture(scope="session")
def understudy_seed():
    bot = {"name": "deploy-bot", "scopes": {"bot": ["chat:write"]}}
    return {"users": ["alice"], "channels": [{"name": "war-room", "members": ["alice", "deploy-bot"]}], "apps": [bot]}
`;

const FAILING = `${SEED}

def test_waits_in_vain(sandbox):
    print("failed in", sandbox.id)
    sandbox.as_("alice").post("#war-room", "deploying")
    sandbox.wait_for_message(channel="#war-room", text=re.compile("deployed"), timeout_ms=100)


def test_works_in_another_sandbox(sandbox):
    assert sandbox.changes()["added"].get("message", []) == []


def test_asserts_something_of_its_own(sandbox):
    print("failed in", sandbox.id)
    assert sandbox.id == "nothing that a sandbox knows of"


def test_works_in_a_third(sandbox):
    assert sandbox.changes()["added"].get("message", []) == []
`;

const WORKERS = `${SEED}

def test_has_a_sandbox(understudy, sandbox):
    sandbox.as_("alice").post("#war-room", "hello")
    with open(os.environ["PYTEST_XDIST_WORKER"], "w") as file:
        file.write(f"{understudy.url} {sandbox.id}")


def test_starts_afresh(sandbox):
    assert sandbox.changes()["added"].get("message", []) == []
`;
