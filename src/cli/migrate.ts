import type { Settings } from '../kernel/config/settings.js';
import { openStore } from '../kernel/database/store.js';
import { OperatorError } from './fatal-error.js';
import { printJson, printLine, withProgress } from './kit/output.js';

/** Applies the missing migrations and prints how many there were. */
export async function migrateStore(settings: Settings, options: { json?: boolean } = {}): Promise<void> {
  if (settings.databaseUrl === undefined && settings.dataDir === 'memory') {
    throw new OperatorError('SVC_DATA_DIR=memory keeps nothing, so there is nothing to migrate');
  }
  const { applied } = await withProgress('bringing the schema up to date', async () => {
    const store = await openStore(settings, []);
    await store.close();
    return store;
  });
  if (options.json) printJson({ applied });
  else printLine(applied === 0 ? 'The schema is up to date.' : `Applied ${applied} migrations.`);
}
