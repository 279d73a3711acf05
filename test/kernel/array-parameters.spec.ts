import { describe, expect, it } from 'vitest';
import { numberArray, textArray } from '../../src/kernel/database/array-parameters.js';
import { useApp } from '../support/app.js';

describe('array parameters', () => {
  const app = useApp();
  const query = async (text: string, values: unknown[]): Promise<unknown> =>
    ((await app.store.dataSource.query(text, values)) as Record<string, unknown>[])[0];

  it.each([
    ['no text', []],
    ['an empty text', ['']],
    ['texts that the array syntax quotes', ['NULL', '{}', 'a,b', '"', '\\', ' ', '\n\u001e\u001f']],
    ['characters of every byte length', ['é', '€', '😀', 'a\u0301', 'ﷺ'.repeat(500)]],
    ['nulls among texts', ['before', null, '', null, 'NULL']],
    ['many texts', Array.from({ length: 3_000 }, (_, n) => `text ${n}`)],
  ])('of texts arrive unchanged: %s', async (_, texts) => {
    expect(await query('SELECT $1::text[] AS texts', [textArray(texts)])).toEqual({ texts });
  });

  it('of numbers may contain nulls', async () => {
    const numbers = [0, -1, 1.5, 1_767_225_600_000.25, null];
    expect(await query('SELECT $1::float8[] AS numbers', [numberArray(numbers)])).toEqual({ numbers });
    expect(await query('SELECT $1::bigint[] = $2 AS same', [numberArray([]), []])).toEqual({ same: true });
  });
});
