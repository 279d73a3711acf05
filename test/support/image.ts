import { spawn, spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { chmodSync, copyFileSync, lstatSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseDockerfile, parseDockerignore } from './dockerfile.js';
import { linkTree } from './file-trees.js';
import { Running } from './server-process.js';

/**
 * Builds and runs the Dockerfile without a container engine, in a folder: COPY copies what .dockerignore permits, RUN
 * runs, and ENV, USER, ENTRYPOINT, CMD and HEALTHCHECK of the last stage start processes. It implements the
 * instructions that the file uses and fails on any other, so that file and test stay in step. It does not test the
 * base image: commands use the Node and the shell of this machine, and absolute paths are below the given folder.
 */

export const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url));

/** Replacements for slow RUN lines; `app` is the stage's working directory. */
export type StandIns = Record<string, (app: string) => void>;

export interface User {
  uid: number;
  gid: number;
}

/** A stage during the build, or the finished image. */
class Stage {
  workdir = '/';
  env: Record<string, string> = {};
  user: User | undefined;
  volumes: string[] = [];
  healthcheck: string[] = [];
  entrypoint: string[] = [];
  cmd: string[] = [];
  constructor(readonly root: string) {
    mkdirSync(root, { recursive: true });
  }

  /** The path on this machine of an absolute or relative path of the image. */
  path(path: string): string {
    return path.startsWith('/') ? join(this.root, path) : join(this.root, this.workdir, path);
  }
}

const json = (text: string): string[] => {
  const value = JSON.parse(text) as unknown;
  if (!Array.isArray(value) || !value.every((part) => typeof part === 'string')) throw new Error(`no list: ${text}`);
  return value as string[];
};

export interface BuildOptions {
  /** An empty folder. */
  folder: string;
  standIns: StandIns;
  /** The owner of what the Dockerfile gives to its USER: the current user where it may not be changed. */
  as: User | undefined;
}

/** Runs every step of the Dockerfile. @throws Error naming the failed step */
export function buildImage(options: BuildOptions): Image {
  const stages = new Map<string, Stage>();
  const unused = new Set(Object.keys(options.standIns));
  const allowed = parseDockerignore(readFileSync(join(CHECKOUT, '.dockerignore'), 'utf8'));
  const bases: string[] = [];
  let stage: Stage | undefined;
  for (const { name, text } of parseDockerfile(readFileSync(join(CHECKOUT, 'Dockerfile'), 'utf8'))) {
    if (name === 'FROM') {
      const [, base = '', as = ''] = /^(\S+)(?: AS (\S+))?$/.exec(text) ?? [];
      const from = stages.get(base);
      stage = new Stage(join(options.folder, as === '' ? 'image' : as));
      if (from) {
        stage.workdir = from.workdir;
        linkTree(from.root, stage.root);
      } else bases.push(base);
      stages.set(as, stage);
      continue;
    }
    if (!stage) throw new Error(`${name} before FROM`);
    step(stage, name, text, { ...options, stages, allowed, unused });
  }
  if (unused.size > 0) throw new Error(`the Dockerfile does not run: ${[...unused].join(', ')}`);
  return new Image(stages.get('') as Stage, bases, options.as);
}

interface Building extends BuildOptions {
  stages: Map<string, Stage>;
  allowed: (path: string) => boolean;
  /** Replacements whose line has not been reached yet. */
  unused: Set<string>;
}

function step(stage: Stage, name: string, text: string, building: Building): void {
  switch (name) {
    case 'WORKDIR':
      stage.workdir = text;
      mkdirSync(stage.path(text), { recursive: true });
      return;
    case 'ENV':
      for (const pair of text.split(' ')) {
        const [, key, value] = /^(\w+)=([^\s"'$]+)$/.exec(pair) ?? [];
        if (key === undefined || value === undefined) throw new Error(`ENV ${pair} is not plain`);
        stage.env[key] = value;
      }
      return;
    case 'COPY':
      return copy(stage, text, building);
    case 'RUN':
      return runLine(stage, text, building);
    case 'USER': {
      const [, uid, gid] = /^([1-9]\d*):([1-9]\d*)$/.exec(text) ?? [];
      if (uid === undefined) throw new Error(`USER ${text} is not two numbers, none of them root's`);
      stage.user = { uid: Number(uid), gid: Number(gid) };
      return;
    }
    case 'VOLUME':
      stage.volumes.push(text);
      return;
    case 'EXPOSE':
      if (!/^\d+$/.test(text)) throw new Error(`EXPOSE ${text}`);
      return;
    case 'HEALTHCHECK': {
      const [, command] = /^(?:--(?:interval|timeout|start-period)=\d+s )*CMD (\[.*\])$/.exec(text) ?? [];
      stage.healthcheck = json(command ?? '');
      return;
    }
    case 'ENTRYPOINT':
      stage.entrypoint = json(text);
      return;
    case 'CMD':
      stage.cmd = json(text);
      return;
    default:
      throw new Error(`the interpreter does not know ${name}`);
  }
}

function copy(stage: Stage, text: string, { stages, allowed }: Building): void {
  const words = text.split(' ');
  const from = words[0]?.startsWith('--from=') ? stages.get((words.shift() as string).slice(7)) : undefined;
  if (words.some((word) => /^--|[*?$"]/.test(word))) throw new Error(`COPY ${text} is not plain`);
  const target = words.pop() as string;
  for (const word of words) {
    const source = from ? from.path(word) : join(CHECKOUT, word);
    if (!from && !allowed(word)) throw new Error(`.dockerignore leaves out ${word}, which the Dockerfile copies`);
    const isFolder = lstatSync(source).isDirectory();
    const to = stage.path(target.endsWith('/') && !isFolder ? join(target, basename(word)) : target);
    mkdirSync(dirname(to), { recursive: true });
    if (isFolder) linkTree(source, to);
    else copyFileSync(source, to);
  }
}

function runLine(stage: Stage, text: string, { standIns, stages, as, unused }: Building): void {
  const standIn = standIns[text];
  if (standIn) {
    unused.delete(text);
    return standIn(stage.path('.'));
  }
  // paths of the image outside its working directory, and the user, whom only root could make the owner
  const line = text
    .replaceAll(/(?<=^|\s)\/[a-z]+\b/g, (path) => `'${stage.path(path)}'`)
    .replaceAll(/\bchown \d+:\d+/g, (chown) => (as ? chown : `chown ${process.getuid?.()}:${process.getgid?.()}`));
  const { status, stderr } = spawnSync('sh', ['-c', line], {
    cwd: stage.path('.'),
    encoding: 'utf8',
    // npm may use the packages in this machine's cache
    env: { ...shellEnv(), npm_config_prefer_offline: 'true', npm_config_update_notifier: 'false', ...stage.env },
  });
  if (status !== 0) throw new Error(`RUN ${text} (stage ${stages.size}) ended with ${status}: ${stderr}`);
}

/** What commands need of this machine: the paths of Node and npm. */
const shellEnv = (): Record<string, string> => ({
  PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
  HOME: process.env['HOME'] ?? '',
});

/** The last stage, built. */
export class Image {
  constructor(
    private readonly stage: Stage,
    /** The base images of the stages. */
    readonly bases: string[],
    private readonly as: User | undefined,
  ) {}

  get user(): User {
    return this.stage.user as User;
  }
  get volumes(): string[] {
    return this.stage.volumes;
  }
  get env(): Record<string, string> {
    return this.stage.env;
  }
  get command(): string[] {
    return [...this.stage.entrypoint, ...this.stage.cmd];
  }

  /** The path on this machine of a path of the image. */
  path(path: string): string {
    return this.stage.path(path);
  }

  /**
   * Removes (or restores) the permission to write to the folders of the working directory, to imitate a read-only
   * root
   * file system. Files keep their modes, which they may share with the checkout; other users may not write to them.
   */
  setReadOnly(readOnly: boolean, folder = this.path('.')): void {
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isDirectory()) this.setReadOnly(readOnly, join(folder, entry.name));
    chmodSync(folder, readOnly ? 0o555 : 0o755);
  }

  /**
   * Starts the image's command as the image's user. `before` is put in front of it, for instance to make it process
   * 1.
   */
  start(env: Record<string, string>, before: string[] = []): Running {
    const [command, ...args] = [...before, ...this.node(this.command)] as [string, ...string[]];
    const options = { cwd: this.path('.'), env: this.environment(env) };
    const as = before.length === 0 ? this.as : undefined;
    return new Running(spawn(command, args, { ...options, ...as, stdio: ['ignore', 'pipe', 'pipe'] }));
  }

  /** Runs the HEALTHCHECK in the container's environment, as the engine does. */
  health(env: Record<string, string>): Promise<{ code: number | null; stderr: string }> {
    const [command, ...args] = this.node(this.stage.healthcheck) as [string, ...string[]];
    const options = { cwd: this.path('.'), env: this.environment(env), ...this.as };
    return new Running(spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })).ended;
  }

  /** Runs another command of the image and waits for its end. */
  run(...command: string[]): SpawnSyncReturns<string> {
    const [name, ...args] = this.node(command) as [string, ...string[]];
    return spawnSync(name, args, { cwd: this.path('.'), env: this.environment({}), encoding: 'utf8', ...this.as });
  }

  /** Replaces `node` by the Node of this machine; other commands are not on the PATH. */
  private node([name, ...args]: string[]): string[] {
    if (name !== 'node') throw new Error(`the image starts ${String(name)}, which is not in every base`);
    return [process.execPath, ...args];
  }

  private environment(env: Record<string, string>): Record<string, string> {
    const own = Object.entries(this.stage.env).map(([key, value]) => [
      key,
      this.stage.volumes.includes(value) ? this.path(value) : value,
    ]);
    return { ...(Object.fromEntries(own) as Record<string, string>), ...env };
  }
}
