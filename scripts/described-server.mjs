// What a server says of itself, for the documents that are generated from it: its OpenAPI document and its GraphQL schema.
import 'reflect-metadata';

/** Starts a server whose data is in memory, asks it, and stops it. */
export async function describedServer() {
  const { createApp, listen } = await import('../dist/app.js');
  const { parseSettings } = await import('../dist/kernel/config/settings.js');
  const { ENTITIES } = await import('../dist/entities.js');
  const { openStore } = await import('../dist/kernel/database/store.js');
  const { Log } = await import('../dist/kernel/log/log.js');
  const { GraphQLSchemaHost } = await import('@nestjs/graphql');
  const settings = parseSettings({ PORT: '0', SVC_DATA_DIR: 'memory', SVC_LOG_LEVEL: 'error' });
  const store = await openStore(settings, ENTITIES);
  try {
    const app = await createApp(settings, store, Log.create(settings));
    await app.init();
    const port = await listen(app, settings);
    const openApi = await (await fetch(`http://127.0.0.1:${port}/api/docs-json`)).json();
    const { schema } = app.get(GraphQLSchemaHost, { strict: false });
    await app.close();
    return { openApi, schema };
  } finally {
    await store.close();
  }
}
