// The functions of the database have their current text in the source, one a file: `src/<room>/functions/<name>.sql`.
// Migrations bring it into stores. This compares each with the newest migration that makes it; after a change
// `node scripts/sql-functions.mjs 0123_what_changed` writes the migration (one that changes what a function takes or
// answers has to drop it first, which is added by hand).
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const MADE = /^CREATE (?:OR REPLACE )?FUNCTION (\w+)\s*\([^$;]*(?:(\$\w*\$)[^]*?\2[^;]*)?;$/gm;

/** The functions that a text makes: name to text, without what says whether there was one before. */
const functionsIn = (text) =>
  [...text.matchAll(MADE)].map(([made, name]) => [name, made.replace(/^CREATE OR REPLACE/, 'CREATE')]);

const migrations = readdirSync(join(root, 'migrations'))
  .filter((file) => file.endsWith('.sql'))
  .sort();
const newest = new Map();
for (const migration of migrations) {
  const text = readFileSync(join(root, 'migrations', migration), 'utf8');
  for (const [name, made] of functionsIn(text)) newest.set(name, { migration, made });
}

const faults = [];
const changed = [];
const known = new Set();
for (const file of readdirSync(join(root, 'src'), { recursive: true }).sort()) {
  if (!/[\\/]functions[\\/]\w+\.sql$/.test(file)) continue;
  const path = join(root, 'src', file);
  const shown = relative(root, path);
  const text = readFileSync(path, 'utf8');
  const made = functionsIn(text);
  const [[name, current] = []] = made;
  if (made.length !== 1 || name !== basename(file, '.sql')) {
    faults.push(`${shown}: makes one function, which it is named after`);
    continue;
  }
  if (known.has(name)) faults.push(`${shown}: ${name} has another file`);
  known.add(name);
  if (newest.get(name)?.made === current) continue;
  changed.push(text.trim());
  faults.push(`${shown}: differs from ${newest.get(name)?.migration ?? 'every migration, none of which makes it'}`);
}
for (const [name, { migration }] of newest) {
  if (!known.has(name)) faults.push(`${name} of migrations/${migration} is in no src/<room>/functions/${name}.sql`);
}

const [wanted] = process.argv.slice(2);
if (wanted !== undefined) {
  if (changed.length === 0) throw new Error('no function differs from its newest migration');
  writeFileSync(join(root, 'migrations', `${wanted}.sql`), `${changed.join('\n\n')}\n`, { flag: 'wx' });
} else if (faults.length > 0) {
  console.error(faults.join('\n'));
  process.exitCode = 1;
}
