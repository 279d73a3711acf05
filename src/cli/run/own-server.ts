import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../../kernel/config/package-root.js';
import { OperatorError } from '../fatal-error.js';

const START_MS = 60_000;
const SAID_LINES = 20;

/** A server that a run has started for itself: in memory, on a free port. It ends with this process, however that ends. */
export class OwnServer {
  private constructor(
    /** Without a final slash. */
    readonly url: string,
    readonly adminToken: string,
    private readonly child: ChildProcess,
  ) {}

  /** @throws OperatorError with what the server said */
  static async start(env: NodeJS.ProcessEnv): Promise<OwnServer> {
    const adminToken = randomBytes(20).toString('hex');
    const flags = ['--port', '0', '--host', '127.0.0.1', '--data', 'memory', '--methods', 'all', '--quiet'];
    const program = join(PACKAGE_ROOT, 'bin', 'understudy.mjs');
    const child = spawn(process.execPath, [program, 'start', ...flags, '--until-stdin-ends'], {
      // settings of the shell are meant for another server
      env: {
        ...Object.fromEntries(
          Object.entries(env).filter(([name]) => !/^(?:SVC_.*|PORT|HOST|DATABASE_URL)$/.test(name)),
        ),
        SVC_ADMIN_TOKEN: adminToken,
        SVC_LOG_FORMAT: 'json',
        SVC_LOG_LEVEL: 'info',
      },
      // it ends with the pipe to it, so also when this process is killed
      stdio: ['pipe', 'ignore', 'pipe'],
      // signals of the terminal are for the command: the server is needed until that has ended
      detached: true,
    });
    try {
      return new OwnServer(await baseOf(child), adminToken, child);
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
  }
}

/** The base URL, from the server's log. */
function baseOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const said: string[] = [];
    const fail = (what: string): void => {
      clearTimeout(timer);
      reject(new OperatorError([`the server ${what}`, ...said].join('\n  ')));
    };
    const timer = setTimeout(() => fail(`did not start within ${START_MS / 1000} s`), START_MS);
    createInterface({ input: child.stderr as NodeJS.ReadableStream }).on('line', (line) => {
      said.push(line);
      if (said.length > SAID_LINES) said.shift();
      const base = /"base":"([^"]+)"/.exec(line)?.[1];
      if (base === undefined) return;
      clearTimeout(timer);
      resolve(base);
    });
    child.once('error', (error) => fail(`cannot be run: ${error.message}`));
    child.once('exit', (code) => fail(`ended with code ${code}`));
  });
}
