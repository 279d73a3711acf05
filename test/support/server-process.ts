import { spawn, spawnSync, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { setUp } from '../../scripts/setup.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Compiles what the processes below run, unless it is compiled already (`npm test` does so first). */
export const ensureBuilt = (): void => void setUp(root, { build: 'only' });

/** The environment of a test process: enough to run, and no settings of the shell. */
const environment = (env: Record<string, string>): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  HOME: process.env['HOME'] ?? '',
  TMPDIR: process.env['TMPDIR'] ?? '/tmp',
  PORT: '0',
  SVC_LOG_FORMAT: 'json',
  ...env,
});

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** A Node process of the compiled build, with its output. */
export class Running {
  stdout = '';
  stderr = '';
  readonly ended: Promise<Ended>;
  private readonly watchers = new Set<() => void>();

  constructor(readonly child: ChildProcessByStdio<null, Readable, Readable>) {
    child.stdout.setEncoding('utf8').on('data', (text: string) => this.note(() => (this.stdout += text)));
    child.stderr.setEncoding('utf8').on('data', (text: string) => this.note(() => (this.stderr += text)));
    this.ended = once(child, 'close').then(([code, signal]) => {
      const ended = {
        code: code as number | null,
        signal: signal as NodeJS.Signals | null,
        stdout: this.stdout,
        stderr: this.stderr,
      };
      this.note(() => undefined);
      return ended;
    });
  }

  private note(change: () => void): void {
    change();
    for (const watcher of this.watchers) watcher();
  }

  /** Resolves when a log line contains the text; rejects when the process ends before. */
  logged(text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const line = this.stderr.split('\n').find((entry) => entry.includes(text));
        if (line !== undefined) {
          this.watchers.delete(look);
          resolve(line);
        }
      };
      this.watchers.add(look);
      void this.ended.then(({ stderr }) => reject(new Error(`ended without saying "${text}": ${stderr}`)));
      look();
    });
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<Ended> {
    this.child.kill(signal);
    return this.ended;
  }
}

/** Runs `node dist/server/main.js` or another script of the checkout, or of another one that is built. */
export function run(script: string, args: string[], env: Record<string, string>, folder = root): Running {
  const path = join(folder, script);
  return new Running(
    spawn(process.execPath, [path, ...args], { env: environment(env), stdio: ['ignore', 'pipe', 'pipe'] }),
  );
}

/** A server in a process of its own, on a free port. */
export class ServerProcess {
  private constructor(
    readonly running: Running,
    /** Without a trailing slash. */
    readonly baseUrl: string,
  ) {}

  /** @param folder another checkout, which is built */
  static async start(env: Record<string, string>, args: string[] = [], folder?: string): Promise<ServerProcess> {
    const running = run('dist/server/main.js', args, env, folder);
    const line = await running.logged('listening on');
    return new ServerProcess(running, (JSON.parse(line) as { base: string }).base);
  }

  /** Calls a method and answers its body. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- specs read fields of answers freely
  async call(method: string, token: string, args: Record<string, unknown> = {}): Promise<any> {
    const response = await fetch(`${this.baseUrl}/api/${method}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(args),
    });
    return response.json();
  }

  get ended(): Promise<Ended> {
    return this.running.ended;
  }

  kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<Ended> {
    return this.running.kill(signal);
  }
}

/** Runs an operators' command and waits for its end. */
export const command = (args: string[], env: Record<string, string>): Promise<Ended> =>
  run('bin/understudy.mjs', args, env).ended;

/** Whether `terminal` can be used: util-linux's `script` makes one. */
export const hasTerminal = spawnSync('script', ['--version']).stdout?.includes('util-linux') === true;

/** Runs an operators' command on a terminal and waits for its end; answers everything shown there. */
export function terminal(args: string[], env: Record<string, string>): Promise<Ended> {
  const program = fileURLToPath(new URL('../../bin/understudy.mjs', import.meta.url));
  const line = [process.execPath, program, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  const options = ['--quiet', '--return', '--command', line, '/dev/null'];
  return new Running(
    spawn('script', options, { env: { TERM: 'xterm', ...environment(env) }, stdio: ['ignore', 'pipe', 'pipe'] }),
  ).ended;
}
