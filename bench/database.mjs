// A database for the bench on the server that DATABASE_URL names; dropped at the end.
import pg from 'pg';

async function onServer(sql) {
  const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

export async function withDatabase(work) {
  if (!process.env.DATABASE_URL) {
    console.error('DATABASE_URL is unset: the part on PostgreSQL is left out');
    return;
  }
  const name = `understudy_bench_${process.pid}_${Date.now()}`;
  await onServer(`CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0 LOCALE 'C.UTF-8'`);
  try {
    const url = new URL(process.env.DATABASE_URL);
    url.pathname = `/${name}`;
    await work(url.href);
  } finally {
    await onServer(`DROP DATABASE ${name} WITH (FORCE)`);
  }
}

/**
 * What `section(title, environment)` gives on the embedded database and on PostgreSQL.
 * @param on `embedded` or `postgresql` alone; undefined: both
 */
export async function onEach(on, section) {
  const parts = [];
  if (on !== 'postgresql') {
    parts.push(await section('Embedded database', { DATABASE_URL: '', SVC_DATA_DIR: 'memory' }));
  }
  if (on !== 'embedded') {
    await withDatabase(async (databaseUrl) => {
      parts.push(await section('PostgreSQL', { DATABASE_URL: databaseUrl }));
    });
  }
  return parts;
}
