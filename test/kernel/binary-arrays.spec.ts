import { describe, expect, it } from 'vitest';
import { bigintArray, textArray } from '../../src/kernel/database/binary-arrays.js';
import { Db } from '../../src/kernel/database/db.js';
import { statement } from '../../src/kernel/database/statement.js';
import { useApp } from '../support/app.js';

const READ = statement(
  'spec_binary_arrays',
  'SELECT t, n, $3::text[] AS empty FROM unnest($1::text[], $2::bigint[]) AS r (t, n)',
);

describe('lists in binary form', () => {
  const app = useApp();

  it('reach the store as they are: quotes, other scripts, empty texts, nulls, numbers beyond 32 bits', async () => {
    const texts = ['plain', '{"a":"b\\\\c"}', 'ä東京🎉', '', null, 'NULL', 'line\nline', null];
    const numbers = [0, 1, 1_763_800_000_000_001, 2 ** 53 - 1, null, 2 ** 32, 2 ** 32 - 1, -(2 ** 40) - 3];
    const rows = await app.nest
      .get(Db)
      .read<{ t: string | null; n: number | null; empty: string[] }>(READ, [
        textArray(texts),
        bigintArray(numbers),
        textArray([]),
      ]);
    expect(rows.map(({ t }) => t)).toEqual(texts);
    expect(rows.map(({ n }) => n)).toEqual(numbers);
    expect(rows[0]?.empty).toEqual([]);
  });
});
