import { spawn, spawnSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CHECKOUT } from './image.js';
import { Running } from './server-process.js';
import { snippet } from './snippets.js';

/** The file in the checkout for `understudy/<name>` of the package. */
const clientUrl = (name: string): string => pathToFileURL(join(CHECKOUT, 'dist', 'clients', 'js', `${name}.js`)).href;

/**
 * A reader who follows a document in a folder of their own: shell blocks run one after the other and share their
 * variables, programs are saved and started. Only the server's address is substituted.
 */
export class Reader {
  private readonly started: Running[] = [];

  constructor(
    private readonly folder: string,
    /** Substitutions for `127.0.0.1:3000` and other texts that cannot be used as written. */
    private readonly instead: Readonly<Record<string, string>>,
    env: Readonly<Record<string, string>> = {},
  ) {
    symlinkSync(join(CHECKOUT, 'node_modules'), join(folder, 'node_modules'));
    this.sh(
      Object.entries(env)
        .map(([name, value]) => `export ${name}='${value}'`)
        .join('\n'),
      true,
    );
  }

  /** Runs a block and answers its output. @throws Error with its error output */
  run(key: string): string {
    return this.sh(this.written(key));
  }

  /** Runs lines in the reader's shell. */
  sh(lines: string, first = false): string {
    const script = `${first ? '' : '. ./.shell\n'}${lines}\nexport -p > .shell`;
    const ended = spawnSync('sh', ['-ec', script], { cwd: this.folder, encoding: 'utf8', env: this.env });
    if (ended.status !== 0) throw new Error(`${lines}\nended with ${ended.status}: ${ended.stderr}`);
    return ended.stdout;
  }

  /** Saves a block as a program and starts it with the variables of the shell. */
  start(key: string): Running {
    const name = `${this.started.length}.mjs`;
    writeFileSync(join(this.folder, name), this.written(key));
    const running = new Running(
      spawn('sh', ['-c', `. ./.shell; exec node ${name}`], {
        cwd: this.folder,
        env: this.env,
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
    this.started.push(running);
    return running;
  }

  /** Stops the programs that still run. */
  async stop(): Promise<void> {
    for (const { child } of this.started) child.kill('SIGKILL');
    await Promise.all(this.started.map(({ ended }) => ended));
  }

  private written(key: string): string {
    let { text } = snippet(key);
    for (const [from, to] of Object.entries(this.instead)) text = text.replaceAll(from, to);
    text = text.replace(/'understudy\/(\w+)'/, (_, name: string) => `'${clientUrl(name)}'`);
    return text.replaceAll('npx --no-install understudy', `node '${join(CHECKOUT, 'bin', 'understudy.mjs')}'`);
  }

  private get env(): Record<string, string> {
    return { PATH: process.env['PATH'] ?? '', HOME: this.folder };
  }
}
