import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Tx } from '../../kernel/database/db.js';
import { ROWS_OF_STATE, type CopiedTable } from './copies.queries.js';

/** The most characters that are kept, of all states and of one. */
const MAX_CHARACTERS = 16 * 2 ** 20;
const MAX_OF_STATE = MAX_CHARACTERS / 4;
/** How long a state is kept that nobody copies, in milliseconds. */
const KEPT_MS = 10 * 60_000;

/** The rows of a state, as JSON. */
export interface State {
  readonly rows: ReadonlyMap<string, readonly string[]>;
  /** The ids in it. */
  readonly ids: readonly string[];
  /** Other values that no second row of all tenants may have. */
  readonly unique: readonly string[];
}

/**
 * The states that are copied. What a sandbox was like when an epoch began never changes, and is often copied many times,
 * so it is read once (docs/decisions/copies.md).
 */
@Injectable()
export class KeptStates {
  private readonly kept = new LRUCache<string, State>({
    maxSize: MAX_CHARACTERS,
    maxEntrySize: MAX_OF_STATE,
    sizeCalculation: sizeOf,
    ttl: KEPT_MS,
    updateAgeOnGet: true,
  });

  /** The caller's transaction holds the state: it is not deleted meanwhile. */
  async of(
    tx: Tx,
    { tenantId, epoch }: { readonly tenantId: number; readonly epoch: number },
    tables: readonly CopiedTable[],
  ): Promise<State> {
    const key = `${tenantId} ${epoch}`;
    let state = this.kept.get(key);
    if (!state) this.kept.set(key, (state = await read(tx, tenantId, epoch, tables)));
    return state;
  }
}

async function read(tx: Tx, tenantId: number, epoch: number, tables: readonly CopiedTable[]): Promise<State> {
  const found = await tx.query<{ table: string; id: string | null; value: string }>(ROWS_OF_STATE, [tenantId, epoch]);
  const rows = new Map<string, string[]>();
  const ids: string[] = [];
  for (const { table, id, value } of found) {
    const known = rows.get(table);
    if (known) known.push(value);
    else rows.set(table, [value]);
    if (id !== null) ids.push(id);
  }
  const unique = tables.flatMap((table) =>
    table.unique.length === 0
      ? []
      : (rows.get(table.name) ?? []).flatMap((value) => {
          const row = JSON.parse(value) as Record<string, unknown>;
          return table.unique.map((column) => row[column]).filter((one) => typeof one === 'string');
        }),
  );
  return { rows, ids, unique };
}

const sizeOf = ({ rows, ids, unique }: State): number =>
  [...rows.values(), ids, unique].reduce((sum, texts) => texts.reduce((size, { length }) => size + length, sum), 1);
