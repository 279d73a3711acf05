import 'reflect-metadata';
import { Command } from 'commander';
import { parseSettings } from '../kernel/config/settings.js';
import { VERSION } from '../kernel/config/version.js';
import { endWith } from './ending.js';

/** The operators' commands. What a command needs is loaded when it runs, so that `--help` answers at once. */
export async function run(argv: string[]): Promise<void> {
  const program = new Command('understudy')
    .description('A self-hosted backend that stands in for Slack’s Web API and Linear’s GraphQL API.')
    .version(VERSION)
    .showHelpAfterError();

  program
    .command('start')
    .description('start the server, with the settings of the environment')
    .option('--print-credentials', 'print the default credentials to standard output')
    .action(async () => {
      await import('../main.js'); // reads the option itself, as it does without this command
    });

  const tokens = program
    .command('tokens')
    .description('print bot and user token of the default workspace')
    .option('--json', 'as one JSON document')
    .action(async (options: { json?: boolean }) => {
      const { printTokens } = await import('./tokens.js');
      await printTokens(parseSettings(process.env), '/tokens', options);
    });
  tokens
    .command('rotate')
    .description('replace these tokens; the old ones stop working at once')
    .option('--json', 'print the new ones as one JSON document')
    .action(async (_options: unknown, command: Command) => {
      const { printTokens } = await import('./tokens.js');
      await printTokens(parseSettings(process.env), '/tokens/rotate', command.optsWithGlobals<{ json?: boolean }>());
    });

  program
    .command('migrate')
    .description('bring the schema of the database up to date; a start does so by itself')
    .action(async () => {
      const { migrateStore } = await import('./migrate.js');
      await migrateStore(parseSettings(process.env));
    });

  program
    .command('health')
    .description('end with code 0 when the server of these settings, on this machine, is healthy, else with 1')
    .action(async () => {
      const { checkHealth } = await import('./health.js');
      await checkHealth(parseSettings(process.env));
    });

  const mcp = program.command('mcp').description('serve tools to an MCP client on standard input and output');
  mcp
    .command('chat')
    .description('the chat tools, as the owner of SVC_MCP_TOKEN, of the server at SVC_API_URL')
    .action(async () => {
      const { serveChatTools } = await import('./mcp.js');
      await serveChatTools(process.env);
    });
  mcp
    .command('issues')
    .description('the issue tools, as the owner of SVC_API_KEY, of the server at SVC_API_URL')
    .action(async () => {
      const { serveIssueTools } = await import('./mcp.js');
      await serveIssueTools(process.env);
    });

  try {
    await program.parseAsync(argv);
  } catch (error) {
    endWith(error);
  }
}
