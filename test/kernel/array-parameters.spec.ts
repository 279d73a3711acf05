import { describe, expect, it } from 'vitest';
import { numberArray, textArray } from '../../src/kernel/database/array-parameters.js';
import { useApp } from '../support/app.js';

describe('array parameters', () => {
  const app = useApp();
  const query = async (text: string, values: unknown[]): Promise<unknown> =>
    ((await app.store.dataSource.query(text, values)) as Record<string, unknown>[])[0];

  it.each([
    ['none', []],
    ['one that is empty', ['']],
    ['what an array’s text form quotes', ['NULL', '{}', 'a,b', '"', '\\', ' ', '\n\u001e\u001f']],
    ['characters of all lengths', ['é', '€', '😀', 'a\u0301', 'ﷺ'.repeat(500)]],
    ['some that are not there', ['before', null, '', null, 'NULL']],
    ['many', Array.from({ length: 3_000 }, (_, n) => `text ${n}`)],
  ])('of texts arrive as they are: %s', async (_, texts) => {
    expect(await query('SELECT $1::text[] AS texts', [textArray(texts)])).toEqual({ texts });
  });

  it('of numbers may have nulls', async () => {
    const numbers = [0, -1, 1.5, 1_767_225_600_000.25, null];
    expect(await query('SELECT $1::float8[] AS numbers', [numberArray(numbers)])).toEqual({ numbers });
    expect(await query('SELECT $1::bigint[] = $2 AS same', [numberArray([]), []])).toEqual({ same: true });
  });
});
