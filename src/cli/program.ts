import 'reflect-metadata';
import { Command, CommanderError } from 'commander';
import { VERSION } from '../kernel/config/version.js';
import { caCommand } from './commands/ca.js';
import { healthCommand } from './commands/health.js';
import { mcpCommand } from './commands/mcp.js';
import { migrateCommand } from './commands/migrate.js';
import { openCommand } from './commands/open.js';
import { runCommandLine } from './commands/run.js';
import { startCommand } from './commands/start.js';
import { tokensCommand } from './commands/tokens.js';
import { exitWithError } from './fatal-error.js';
import { completionCommand } from './kit/completion.js';
import { installCommand } from './kit/install.js';
import { faultCommand } from './kit/fault.js';
import { listenCommand } from './kit/listen.js';
import { sandboxCommand } from './kit/sandbox.js';
import { tasksCommand } from './kit/tasks.js';
import { triggerCommand } from './kit/trigger.js';
import { assertCommand, waitCommand } from './kit/wait.js';

/** In the order that `--help` shows. */
const COMMANDS = [
  startCommand,
  runCommandLine,
  tokensCommand,
  openCommand,
  migrateCommand,
  healthCommand,
  mcpCommand,
  caCommand,
  sandboxCommand,
  listenCommand,
  installCommand,
  triggerCommand,
  faultCommand,
  waitCommand,
  assertCommand,
  tasksCommand,
];

/** All commands with their options and help. A command loads its code when it runs, so `--help` is fast. */
export function commandLine(): Command {
  const program = new Command('understudy')
    .description('A self-hosted backend that stands in for Slack’s Web API and Linear’s GraphQL API.')
    .version(VERSION)
    .addHelpText('after', '\nExample:\n  understudy start --mode full')
    .enablePositionalOptions()
    .showHelpAfterError();

  for (const make of COMMANDS) program.addCommand(make());
  program.addCommand(completionCommand(program));
  exitWithTwoOnWrongUsage(program);
  return program;
}

export async function run(argv: string[]): Promise<void> {
  // the reader closed the pipe, as in `understudy trigger --list | head`
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    throw error;
  });
  try {
    await commandLine().parseAsync(argv);
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : 2;
      return;
    }
    exitWithError(error);
  }
}

/** Wrong usage exits with code 2, a failure with 1. Applies to a command and all its subcommands. */
function exitWithTwoOnWrongUsage(command: Command): void {
  command.exitOverride().showSuggestionAfterError().showHelpAfterError('(--help shows the usage)');
  for (const each of command.commands) exitWithTwoOnWrongUsage(each);
}
