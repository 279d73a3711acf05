import { Command } from 'commander';
import { parseSettings } from '../../kernel/config/settings.js';

/** `understudy migrate`. */
export function migrateCommand(): Command {
  return new Command('migrate')
    .description('bring the schema of the database up to date; a start does so by itself')
    .option('--json', 'as one JSON document')
    .addHelpText('after', '\nExample:\n  DATABASE_URL=postgres://… understudy migrate')
    .action(async (options: { json?: boolean }) => {
      const { migrateStore } = await import('../migrate.js');
      await migrateStore(parseSettings(process.env), options);
    });
}
