import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';

/** The flags of `understudy start`, each with the setting that it replaces: a flag wins over the environment. */
const FLAGS: readonly { flags: string; about: string; setting: string; choices?: string[] }[] = [
  { flags: '--port <number>', about: 'port to listen on; 0 picks a free one and prints it', setting: 'PORT' },
  { flags: '--host <address>', about: 'address to listen on', setting: 'HOST' },
  {
    flags: '--data <folder>',
    about: 'folder of the embedded database; memory: nothing is kept',
    setting: 'SVC_DATA_DIR',
  },
  {
    flags: '--seed <file>',
    about: 'document (YAML or JSON) that fills the default workspace at the first start',
    setting: 'SVC_SEED_FILE',
  },
  { flags: '--mode <mode>', about: 'api, or full for a web UI as well', setting: 'SVC_MODE', choices: ['api', 'full'] },
  {
    flags: '--methods <which>',
    about: 'methods of the API: core, or all',
    setting: 'SVC_METHODS',
    choices: ['core', 'all'],
  },
  {
    flags: '--database <url>',
    about: 'a PostgreSQL server instead of the embedded database',
    setting: 'DATABASE_URL',
  },
];

export function addStartOptions(command: Command): Command {
  for (const { flags, about, choices } of FLAGS) {
    const option = new Option(flags, about);
    if (flags.startsWith('--port')) option.argParser(portOf);
    command.addOption(choices ? option.choices(choices) : option);
  }
  return command
    .option('--quiet', 'print no credentials')
    .option('--until-stdin-ends', 'stop when standard input ends, as it does with the program that started this one')
    .addHelpText('after', '\nExample:\n  understudy start --port 0 --data memory --mode full');
}

function portOf(text: string): string {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError('must be a port from 0 to 65535');
  return text;
}

/** Copies the given flags into the environment, where the server reads its settings. */
export function applyStartOptions(options: Record<string, unknown>, env: NodeJS.ProcessEnv): void {
  for (const { flags, setting } of FLAGS) {
    const name = /^--(\w+)/.exec(flags)?.[1] as string;
    const given = options[name];
    if (typeof given === 'string') env[setting] = given;
  }
}

/**
 * Stops the server when standard input ends. A pipe ends with the process at its other end, however that ends, so that a
 * killed test runner leaves no server behind.
 */
export function stopWhenStdinEnds(): void {
  const stop = (): void => void process.kill(process.pid, 'SIGTERM');
  process.stdin.once('end', stop).once('error', stop).resume();
}
