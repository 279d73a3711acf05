import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';

/** The flags of `understudy start`, each with the setting that it stands for: a flag wins over the environment. */
const FLAGS: readonly { flags: string; about: string; setting: string; choices?: string[] }[] = [
  { flags: '--port <number>', about: 'port to listen on; 0 picks a free one and says it', setting: 'PORT' },
  { flags: '--host <address>', about: 'address to listen on', setting: 'HOST' },
  {
    flags: '--data <folder>',
    about: 'where the embedded database lives; memory: nothing is kept',
    setting: 'SVC_DATA_DIR',
  },
  {
    flags: '--seed <file>',
    about: 'fills the default workspace at the first start, YAML or JSON',
    setting: 'SVC_SEED_FILE',
  },
  { flags: '--mode <mode>', about: 'api, or full with a web UI', setting: 'SVC_MODE', choices: ['api', 'full'] },
  { flags: '--methods <which>', about: 'core, or all', setting: 'SVC_METHODS', choices: ['core', 'all'] },
  {
    flags: '--database <url>',
    about: 'a PostgreSQL server in place of the embedded database',
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
    .addHelpText('after', '\nExample:\n  understudy start --port 0 --data memory --mode full');
}

function portOf(text: string): string {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError('a port is 0 to 65535');
  return text;
}

/** Puts the given flags where the server reads its settings. */
export function applyStartOptions(options: Record<string, unknown>, env: NodeJS.ProcessEnv): void {
  for (const { flags, setting } of FLAGS) {
    const name = /^--(\w+)/.exec(flags)?.[1] as string;
    const given = options[name];
    if (typeof given === 'string') env[setting] = given;
  }
}
