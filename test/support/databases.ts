import pg from 'pg';
import { newHex } from '../../src/kernel/ids/ids.js';

/** A PostgreSQL server for specs; those that need it are skipped without, with the reason in their title. */
export const serverUrl = process.env['DATABASE_URL'];

/** Appended to the title of specs that are skipped without a server. */
export const onPostgres = serverUrl === undefined ? ' (skipped: DATABASE_URL is not set)' : '';

async function administrate(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** Creates an empty database on the server of DATABASE_URL, for specs that must not share one with others. */
export async function createDatabase(
  options = `ENCODING 'UTF8' LOCALE 'C.UTF-8'`,
): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `understudy_test_${newHex(10)}`;
  await administrate(`CREATE DATABASE ${name} TEMPLATE template0 ${options}`);
  const url = new URL(serverUrl as string);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => administrate(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}
