import { Command } from 'commander';
import { parseSettings } from '../../kernel/config/settings.js';

/** `understudy tokens` and `understudy tokens rotate`. */
export function tokensCommand(): Command {
  const tokens = new Command('tokens')
    .description('print the tokens of the default workspace')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  understudy tokens --json')
    .action(async (options: { json?: boolean }) => {
      const { printTokens } = await import('../tokens.js');
      await printTokens(parseSettings(process.env), '/tokens', options);
    });
  tokens
    .command('rotate')
    .description('replace these tokens; the old ones stop working at once')
    .option('--json', 'print the new tokens as one JSON document')
    .addHelpText('after', '\nExample:\n  understudy tokens rotate')
    .action(async (_options: unknown, command: Command) => {
      const { printTokens } = await import('../tokens.js');
      await printTokens(parseSettings(process.env), '/tokens/rotate', command.optsWithGlobals<{ json?: boolean }>());
    });
  return tokens;
}
