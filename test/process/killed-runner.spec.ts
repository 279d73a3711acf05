import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/receiver.js';
import { ensureBuilt } from '../support/server-process.js';

const path = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));

/** Programs that start a server as a test suite does, print its URL, and go on. */
const RUNNERS = {
  'Node.js': [
    process.execPath,
    '--input-type=module',
    '-e',
    `import { startUnderstudy } from ${JSON.stringify(path('dist/clients/js/testing.js'))};
     const server = await startUnderstudy();
     console.log(server.url);
     setInterval(() => undefined, 1000);`,
  ],
  Python: [
    'python3',
    '-c',
    `import time; from understudy_testing import start_understudy; server = start_understudy()
print(server.url, flush=True); time.sleep(600)`,
  ],
} as const;

const ENVIRONMENT = {
  ...process.env,
  PYTHONPATH: path('clients/python/src'),
  UNDERSTUDY_COMMAND: `"${process.execPath}" "${path('bin/understudy.mjs')}"`,
};

async function firstLineOf(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) return line;
  throw new Error('the runner has printed nothing');
}

const answers = (url: string): Promise<boolean> =>
  fetch(`${url}/api/health`).then(
    ({ ok }) => ok,
    () => false,
  );

describe('a test runner that is killed', { timeout: 120_000 }, () => {
  beforeAll(ensureBuilt, 300_000);

  it.each(
    Object.keys(RUNNERS).flatMap((name) =>
      (['SIGKILL', 'SIGTERM'] as const).map((signal) => [name as keyof typeof RUNNERS, signal] as const),
    ),
  )('leaves no server behind: %s, %s', async (name, signal) => {
    const [program, ...args] = RUNNERS[name];
    const runner = spawn(program, args, { env: ENVIRONMENT, stdio: ['ignore', 'pipe', 'inherit'] });
    const url = await firstLineOf(runner);
    expect(await answers(url)).toBe(true);
    runner.kill(signal);
    await eventually(async () => !(await answers(url)), 'the server is gone');
  });
});
