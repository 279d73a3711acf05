import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { installedPackage } from '../support/package.js';
import { scratchFolder } from '../support/scratch.js';
import { ensureBuilt, ServerProcess } from '../support/server-process.js';
import { snippet } from '../support/snippets.js';

const ADMIN_TOKEN = 'operator-of-the-runners';

const SEED = `{
  users: ['alice'],
  channels: [{ name: 'war-room', members: ['alice', 'deploy-bot'] }],
  apps: [{ name: 'deploy-bot', scopes: { bot: ['chat:write'] } }],
}`;

/** The app under test posts a message. */
const SAY = `async (sandbox, text) => {
  const { SLACK_API_URL, SLACK_BOT_TOKEN } = sandbox.env('deploy-bot');
  await fetch(SLACK_API_URL + 'chat.postMessage', {
    method: 'POST',
    headers: { authorization: 'Bearer ' + SLACK_BOT_TOKEN, 'content-type': 'application/json' },
    body: JSON.stringify({ channel: 'war-room', text }),
  });
}`;

const PASSING = `
test('sees what the app says', async ({ sandbox, understudy }) => {
  expect(understudy.url).toMatch(/^http:/);
  await sandbox.as('alice').post('#war-room', 'deploy');
  await say(sandbox, 'deployed');
  await expect(sandbox).toHavePosted({ channel: '#war-room', text: /deployed/ });
  await expect(sandbox).toHaveCalled('chat.postMessage', { times: 1, where: { ok: true } });
  await expect(sandbox).toHaveChanged({ added: { message: [{ text: 'deploy' }, { text: 'deployed' }] } });
});
test('starts afresh', async ({ sandbox }) => {
  await expect(sandbox).not.toHavePosted({ channel: '#war-room' });
  const [note] = (await sandbox.timeline({ kind: 'note', order: 'desc' }));
  expect(note.text).toBe('starts afresh');
});
`;

/** The second test expects that the sandbox of the first one is kept. */
const FAILING = `
const ids = [];
test('waits in vain', async ({ sandbox }) => {
  ids.push(sandbox.id);
  for (let n = 1; n <= 12; n++) await say(sandbox, 'deploying ' + n);
  await expect(sandbox).toHavePosted({ channel: '#war-room', text: /deployed/, timeoutMs: 100 });
});
test('works in another sandbox', async ({ sandbox }) => {
  expect(ids).not.toContain(sandbox.id);
});
`;

const OTHER = `
test('works beside it', async ({ sandbox }) => console.log('worked in ' + sandbox.id));
`;

/** Works with any runner; this one is node:test. */
const PLAIN = `
import assert from 'node:assert/strict';
import test from 'node:test';
import { ExpectationError, startUnderstudy } from 'understudy/testing';

test('a server and its sandboxes, without fixtures', async () => {
  const server = await startUnderstudy();
  const sandbox = await server.createSandbox(${SEED});
  await sandbox.as('alice').post('#war-room', 'deploy <@deploy-bot>');
  assert.match((await sandbox.waitForMessage({ text: /^deploy / })).text, /^deploy <@U/);
  await assert.rejects(sandbox.waitForMessage({ text: /never/, timeoutMs: 10 }), ExpectationError);
  await sandbox.delete({ force: true });
  // what \`await using\` does at the end of its scope
  await server[Symbol.asyncDispose]();
  await assert.rejects(fetch(server.url + '/api/health'));
});
`;

describe('the fixtures of test runners, outside the checkout', { timeout: 180_000 }, () => {
  const folder = scratchFolder();
  let shared: ServerProcess;

  beforeAll(async () => {
    ensureBuilt();
    installedPackage(folder);
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    shared = await ServerProcess.start({ SVC_DATA_DIR: 'memory', SVC_MODE: 'full', SVC_ADMIN_TOKEN: ADMIN_TOKEN });
    return async () => void (await shared.kill('SIGTERM'));
  }, 300_000);

  function write(files: Record<string, string>): void {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
  }

  /** Runs a script of the folder and waits for its end. */
  async function run(script: string, args: string[], env: Record<string, string> = {}) {
    const child = spawn(process.execPath, [join('node_modules', script), ...args], {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], NO_COLOR: '1', CI: 'true', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (said += text.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, said };
  }

  const sharedServer = () => ({ UNDERSTUDY_URL: shared.baseUrl, UNDERSTUDY_ADMIN_TOKEN: ADMIN_TOKEN });

  /**
   * Expects the report of a failure: what was expected, the closest entries, the last ten lines, the sandbox, its
   * link.
   */
  function expectReport(said: string): void {
    expect(said).toMatch(/waited \d+ ms for 1 message with .*"\$matches":"deployed".*, found 0/);
    expect(said).toMatch(/closest 1:\n\s*text: expected .*deployed.*, was "deploying \d+"/);
    const last = /the last entries of the timeline:\n((?: +\S*\d{4}-\d\d-\d\dT.*\n)+)/.exec(said)?.[1] as string;
    expect(last.trimEnd().split('\n'), said).toHaveLength(10);
    expect(last).toContain('deploying 12');
    expect(said).toMatch(/the sandbox is kept: Sb0\w{9}/);
    expect(said).toMatch(new RegExp(`look: ${shared.baseUrl}/#key=[\\w-]+&to=%2Fw%2FT0\\w+%2Finspect`));
  }

  const statusOf = async (id: string): Promise<number> => {
    const url = `${shared.baseUrl}/api/sandboxes/${id}`;
    return (await fetch(url, { headers: { 'x-admin-token': ADMIN_TOKEN } })).status;
  };
  const keptSandbox = (said: string): Promise<number> =>
    statusOf(/the sandbox is kept: (Sb0\w{9})/.exec(said)?.[1] ?? 'none');

  describe('understudy/testing', () => {
    it('starts a server that stops with its scope, under node:test', async () => {
      write({ 'plain.test.mjs': PLAIN });
      const { code, said } = await run('../plain.test.mjs', [], {});
      expect(code, said).toBe(0);
      expect(said).toMatch(/^(#|ℹ) pass 1$/m);
    });
  });

  describe('understudy/vitest', () => {
    const suite = (tests: string): string => `
      import { test as base, expect } from 'understudy/vitest';
      const test = base.extend({ seed: [${SEED}, { scope: 'worker' }] });
      const say = ${SAY};
      ${tests}`;
    const vitest = (name: string, env = {}) => run('vitest/vitest.mjs', ['run', '--root', '.', name], env);

    beforeAll(() => {
      write({
        'vitest.config.js': `export default { test: { globalSetup: ['understudy/vitest/global-setup'] } };`,
        'vitest/passing.test.js': suite(PASSING),
        'vitest/failing.test.js': suite(FAILING),
        'vitest/failing-not.test.js': suite(OTHER),
      });
    });

    it('gives each test the sandbox in its initial state, on one server per run', async () => {
      const { code, said } = await vitest('vitest/passing');
      expect(code, said).toBe(0);
      expect(said).toMatch(/Tests +2 passed/);
    });

    it('explains why a test failed, and keeps its sandbox', async () => {
      const { code, said } = await vitest('vitest/failing', sharedServer());
      expect(code).toBe(1);
      expect(said).toMatch(/Tests +1 failed \| 2 passed/);
      expectReport(said);
      expect(await keptSandbox(said)).toBe(200);
      // the other worker's sandbox is deleted, as nothing failed there
      const [, other] = /worked in (Sb0\w{9})/.exec(said) ?? [];
      expect(other).toBeDefined();
      expect(said).not.toContain(`the sandbox is kept: ${other}`);
      expect(await statusOf(other as string)).toBe(404);
    });
  });

  describe('understudy/playwright', () => {
    const suite = (tests: string): string => `
      import { test as base, expect } from 'understudy/playwright';
      const test = base.extend({ seed: [${SEED}, { option: true, scope: 'worker' }] });
      const say = ${SAY};
      ${tests}`;
    const playwright = (name: string, env = {}) =>
      run('@playwright/test/cli.js', ['test', '--reporter=list', '--workers=1', name], env);

    beforeAll(() => {
      write({
        'playwright.config.js': snippet('docs/TESTING.md#jest-playwright-any-other-runner/2').text,
        'playwright/passing.spec.js': suite(PASSING),
        'playwright/failing.spec.js': suite(FAILING),
      });
    });

    it('gives each test the sandbox in its initial state, on one server per run', async () => {
      const { code, said } = await playwright('passing');
      expect(code, said).toBe(0);
      expect(said.match(/✓|^ok /gm)).toHaveLength(2);
    });

    it('explains why a test failed, and keeps its sandbox', async () => {
      const { code, said } = await playwright('failing', sharedServer());
      expect(code).toBe(1);
      expect(said).toContain('1 failed');
      expect(said).toContain('1 passed');
      expectReport(said);
      expect(await keptSandbox(said)).toBe(200);
    });
  });

  describe('understudy/jest', () => {
    /** A stand-in for Jest with an environment and global set-up, as Jest is not installed. */
    const DRIVER = `
      import Environment from 'understudy/jest';
      import setUp from 'understudy/jest/global-setup';
      import tearDown from 'understudy/jest/global-teardown';
      await setUp();
      const options = { seed: ${SEED} };
      const projectConfig = { testEnvironmentOptions: options, globals: {}, fakeTimers: {}, rootDir: '.' };
      const environment = new Environment({ globalConfig: {}, projectConfig }, { testPath: 'x.test.js', docblockPragmas: {} });
      await environment.setup();
      const { global } = environment;
      const say = ${SAY};
      const first = global.sandbox.id;
      await environment.handleTestEvent({ name: 'test_start', test: { name: 'the first' } });
      await global.sandbox.as('alice').post('#war-room', 'deploy');
      await say(global.sandbox, 'deployed');
      await global.sandbox.waitForMessage({ text: /deployed/ });
      await environment.handleTestEvent({ name: 'test_start', test: { name: 'the second' } });
      const after = { same: global.sandbox.id === first, changes: (await global.sandbox.changes()).counts };
      const notes = (await global.sandbox.timeline({ kind: 'note', since: 'start' })).map(({ text }) => text);
      await environment.handleTestEvent({ name: 'test_fn_failure' });
      await environment.handleTestEvent({ name: 'test_start', test: { name: 'the third' } });
      const another = global.sandbox.id !== first;
      await environment.teardown();
      const gone = await fetch(process.env.UNDERSTUDY_URL + '/api/health').then((response) => response.status);
      await tearDown();
      console.log(JSON.stringify({ after, notes, another, gone, url: process.env.UNDERSTUDY_URL ?? null }));`;

    it('gives a test file its sandbox, reset before each test, and another one after a failure', async () => {
      write({ 'jest.mjs': DRIVER });
      const { code, said } = await run(join('..', 'jest.mjs'), []);
      expect(code, said).toBe(0);
      expect(JSON.parse(said.trim().split('\n').at(-1) as string)).toEqual({
        after: { same: true, changes: expect.not.objectContaining({ added: expect.objectContaining({ message: 2 }) }) },
        notes: ['the first', 'the second'],
        another: true,
        gone: 200,
        url: null,
      });
    });
  });
});
