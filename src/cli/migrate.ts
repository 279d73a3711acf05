import type { Settings } from '../kernel/config/settings.js';
import { openStore } from '../kernel/database/store.js';
import { OperatorError } from './ending.js';

/** Applies what migrations are missing, and says how many those were. */
export async function migrateStore(settings: Settings): Promise<void> {
  if (settings.databaseUrl === undefined && settings.dataDir === 'memory') {
    throw new OperatorError('SVC_DATA_DIR=memory keeps nothing, so there is nothing to migrate');
  }
  const store = await openStore(settings);
  await store.close();
  process.stdout.write(store.applied === 0 ? 'The schema is up to date.\n' : `Applied ${store.applied} migrations.\n`);
}
