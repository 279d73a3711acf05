import type { DataSource, EntityMetadata } from 'typeorm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { MIGRATIONS_TABLE } from '../../src/kernel/database/migrations.js';
import { useBareStore } from '../support/bare-store.js';

/** Indices that TypeORM cannot express; their entities name them with `synchronize: false`. */
const BEYOND_TYPEORM: Record<string, 'expression' | 'included column'> = {
  comments_search: 'expression',
  conversations_live_page: 'expression',
  conversations_page: 'expression',
  initiative_labels_name: 'expression',
  issue_labels_team_name: 'expression',
  issue_labels_workspace_name: 'expression',
  issue_relations_pair: 'expression',
  issues_of_team: 'included column',
  issues_search: 'expression',
  message_search_text: 'expression',
  project_labels_team_name: 'expression',
  project_labels_workspace_name: 'expression',
  tracker_users_display_name: 'expression',
  users_email: 'expression',
  workflow_states_name: 'expression',
};

/**
 * Columns that the database generates. TypeORM would keep their expressions in a table of its own,
 * `typeorm_metadata`.
 */
const GENERATED = ['sandboxes.flags'];

interface StoredIndex {
  table: string;
  name: string;
  columns: string[];
  is_unique: boolean;
  condition: string | null;
  /** Why TypeORM cannot express it. */
  beyond: string | null;
}

const INDICES = `
  SELECT t.relname AS table, i.relname AS name, x.indisunique AS is_unique, pg_get_expr(x.indpred, x.indrelid) AS condition,
         ARRAY(SELECT a.attname::text FROM unnest(x.indkey) WITH ORDINALITY k (place, n)
               JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = k.place ORDER BY k.n) AS columns,
         CASE WHEN 0 = ANY(x.indkey) THEN 'expression' WHEN x.indnkeyatts < x.indnatts THEN 'included column' END AS beyond
  FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
  WHERE t.relnamespace = 'public'::regnamespace AND t.relname <> $1 ORDER BY i.relname`;

/** A condition without the casts and parentheses that PostgreSQL adds when it prints one. */
const plain = (condition: string | null | undefined): string =>
  (condition ?? '').replace(/::text(\[\])?/g, '').replace(/[()\s]/g, '');

const declared = (table: string, name: string | undefined, columns: string[], isUnique: boolean, condition?: string) =>
  `${table}: ${name} ${isUnique ? 'unique ' : ''}(${columns.join(', ')}) ${plain(condition)}`;

/** The keys and indices of an entity, each as one line. */
function indicesOf({ tableName, primaryColumns, uniques, indices }: EntityMetadata): string[] {
  const names = (columns: { databaseName: string }[]): string[] => columns.map(({ databaseName }) => databaseName);
  return [
    declared(tableName, `${tableName}_pkey`, names(primaryColumns), true),
    ...uniques.map((unique) => declared(tableName, unique.name, names(unique.columns), true)),
    ...indices
      .filter(({ synchronize }) => synchronize)
      .map(({ name, columns, isUnique, where }) => declared(tableName, name, names(columns), isUnique, where)),
  ];
}

/** TypeORM compares tables with many queries at once on one connection, which the driver takes one by one only. */
function queryOneByOne(dataSource: DataSource): void {
  const create = dataSource.createQueryRunner.bind(dataSource);
  vi.spyOn(dataSource, 'createQueryRunner').mockImplementation((mode) => {
    const runner = create(mode);
    const query = runner.query.bind(runner) as (...args: unknown[]) => Promise<unknown>;
    let last: Promise<unknown> = Promise.resolve();
    runner.query = ((...args: unknown[]) => (last = last.then(() => query(...args)))) as typeof runner.query;
    return runner;
  });
}

describe('the tables of the migrations', () => {
  afterEach(() => vi.restoreAllMocks());
  const store = useBareStore();
  const entities = (): EntityMetadata[] => store.dataSource.entityMetadatas;

  it('have exactly one entity each', async () => {
    const tables: { name: string }[] = await store.dataSource.query(
      `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> $1`,
      [MIGRATIONS_TABLE],
    );
    // a missing entity belongs in its family's folder, with a line in the `entities.ts` of that part
    expect(
      entities()
        .map(({ tableName }) => tableName)
        .sort(),
    ).toEqual(tables.map(({ name }) => name).sort());
  });

  it('match their entities: columns, types, defaults, keys, references, checks', async () => {
    const generated: { name: string }[] = await store.dataSource.query(
      `SELECT t.relname || '.' || a.attname AS name FROM pg_attribute a JOIN pg_class t ON t.oid = a.attrelid
       WHERE a.attgenerated <> '' AND t.relnamespace = 'public'::regnamespace ORDER BY 1`,
    );
    expect(generated.map(({ name }) => name)).toEqual(GENERATED);
    for (const column of entities().flatMap(({ columns }) => columns)) {
      const isGenerated = GENERATED.includes(`${column.entityMetadata.tableName}.${column.databaseName}`);
      if (isGenerated) Object.assign(column, { generatedType: 'STORED', asExpression: '' });
    }
    await store.dataSource.query(
      'CREATE TABLE typeorm_metadata (type text, schema text, database text, "table" text, name text, value text)',
    );
    try {
      queryOneByOne(store.dataSource);
      const { upQueries } = await store.dataSource.driver.createSchemaBuilder().log();
      expect(upQueries.map(({ query }) => query)).toEqual([]);
    } finally {
      await store.dataSource.query('DROP TABLE typeorm_metadata');
    }
  });

  it('have the indices of their entities: columns in order, conditions', async () => {
    const stored: StoredIndex[] = await store.dataSource.query(INDICES, [MIGRATIONS_TABLE]);
    expect(entities().flatMap(indicesOf).sort()).toEqual(
      stored
        .filter(({ beyond }) => beyond === null)
        .map(({ table, name, columns, is_unique, condition }) =>
          declared(table, name, columns, is_unique, condition ?? undefined),
        )
        .sort(),
    );

    const beyond = stored.filter((index) => index.beyond !== null);
    expect(Object.fromEntries(beyond.map((index) => [index.name, index.beyond]))).toEqual(BEYOND_TYPEORM);
    expect(
      entities()
        .flatMap(({ tableName, indices }) =>
          indices.filter((i) => !i.synchronize).map((i) => `${tableName}: ${i.name}`),
        )
        .sort(),
    ).toEqual(beyond.map(({ table, name }) => `${table}: ${name}`).sort());
  });
});
