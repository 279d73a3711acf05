import { onTestFinished } from 'vitest';
import { TestApp } from './app.js';
import { createDatabase } from './databases.js';

/** Two servers on a PostgreSQL database for one test, both removed after the test. */
export async function twoReplicas(env: Record<string, string> = {}): Promise<[TestApp, TestApp]> {
  const database = await createDatabase();
  onTestFinished(database.drop);
  const settings = { DATABASE_URL: database.url, ...env };
  const servers: [TestApp, TestApp] = [await TestApp.start(settings), await TestApp.start(settings)];
  onTestFinished(async () => {
    await Promise.all(servers.map((server) => server.stop()));
  });
  return servers;
}
