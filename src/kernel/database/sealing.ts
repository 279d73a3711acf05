import type { QueryRunner } from 'typeorm';
import { SERIALIZATION_FAILURE, sqlStateOf } from './sql-states.js';
import { otherImagesOf, othersOf, replaceIn, replaceInImages, samplesOf, SEALED_COLUMNS } from './sealing.queries.js';
import type { StoredSecrets } from './stored-secrets.js';

/** Values that are encrypted in one statement. */
const AT_ONCE = 500;
/** SQLSTATE of a row whose sandbox is being reset by another replica. */
const MAX_TRIES = 10;

type Column = { readonly tbl: string; readonly col: string };

/**
 * Checks that every encrypted secret can be read, and encrypts with the first key what is plain or under another key.
 * Under the migration lock, so one replica does it.
 * @throws StoreError
 */
export async function sealStored(runner: QueryRunner, secrets: StoredSecrets): Promise<void> {
  const columns = (await runner.query(SEALED_COLUMNS)) as Column[];
  for (const { tbl, col } of columns) {
    const samples = (await runner.query(samplesOf(tbl, col))) as { value: string }[];
    for (const { value } of samples) secrets.open(value);
  }
  const { prefix } = secrets;
  if (prefix === undefined) return;
  for (const { tbl, col } of columns) {
    // rows first: changing them may create images of their old values
    await sealAll(runner, secrets, othersOf(tbl, col), replaceIn(tbl, col));
    await sealAll(runner, secrets, otherImagesOf(tbl, col), replaceInImages(tbl, col));
  }
}

async function sealAll(runner: QueryRunner, secrets: StoredSecrets, find: string, replace: string): Promise<void> {
  for (let tries = 1; ;) {
    const found = (await runner.query(find, [secrets.prefix, AT_ONCE])) as { value: string }[];
    if (found.length === 0) return;
    const before = found.map(({ value }) => value);
    try {
      await runner.query(replace, [before, before.map((value) => secrets.seal(secrets.open(value)))]);
      tries = 1;
    } catch (error) {
      if (sqlStateOf(error) !== SERIALIZATION_FAILURE || tries++ >= MAX_TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}
