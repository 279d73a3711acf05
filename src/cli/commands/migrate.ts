import { Command } from 'commander';
import { parseSettings } from '../../kernel/config/settings.js';

/** `understudy migrate`. */
export function migrateCommand(): Command {
  return new Command('migrate')
    .description('bring the schema of the database up to date; starting the server does this too')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  DATABASE_URL=postgres://… understudy migrate')
    .action(async (options: { json?: boolean }) => {
      const { migrateStore } = await import('../migrate.js');
      await migrateStore(parseSettings(process.env), options);
    });
}
