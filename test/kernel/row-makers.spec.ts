import pg, { type FieldDef } from 'pg';
import { describe, expect, it } from 'vitest';
import '../../src/kernel/database/row-makers.js';

interface Result {
  addFields(fields: Partial<FieldDef>[]): void;
  parseRow(values: (string | null)[]): unknown;
}
const { Result } = pg as unknown as { Result: new (rowMode: string | null) => Result };
const { TEXT, INT4, TIMESTAMPTZ } = pg.types.builtins;

function rowOf(fields: Partial<FieldDef>[], values: (string | null)[], rowMode: string | null = null): unknown {
  const result = new Result(rowMode);
  result.addFields(fields);
  return result.parseRow(values);
}

describe('rows of the driver', () => {
  const fields = [
    { name: 'id', dataTypeID: INT4, format: 'text' },
    { name: 'a "quoted" `name`, \\ and ${more}', dataTypeID: TEXT, format: 'text' },
    { name: '~less', dataTypeID: TIMESTAMPTZ, format: 'text' },
    { name: 'none', dataTypeID: TIMESTAMPTZ, format: 'text' },
  ];
  const values = ['7', 'seven', '2026-01-02 03:04:05.678+00', null];
  const row = {
    id: 7,
    'a "quoted" `name`, \\ and ${more}': 'seven',
    '~less': new Date('2026-01-02T03:04:05.678Z'),
    none: null,
  };

  it('are the same, however often a statement ran', () => {
    for (let n = 0; n < 4; n++) expect(rowOf(fields, values)).toEqual(row);
  });

  it('have the last of two columns of one name', () => {
    const twice = [...fields, { name: 'id', dataTypeID: TEXT, format: 'text' }];
    for (let n = 0; n < 4; n++) expect(rowOf(twice, [...values, 'last'])).toEqual({ ...row, id: 'last' });
  });

  it('have the type that the column has now', () => {
    for (let n = 0; n < 3; n++) rowOf(fields, values);
    const texts = fields.map((field) => ({ ...field, dataTypeID: TEXT }));
    for (let n = 0; n < 3; n++) expect(rowOf(texts, values)).toMatchObject({ id: '7' });
  });

  it('are the driver’s own as arrays and in binary format', () => {
    for (let n = 0; n < 3; n++) expect(rowOf(fields, values, 'array')).toEqual(Object.values(row));
    const binary = [{ name: 'text', dataTypeID: TEXT, format: 'binary' }];
    for (let n = 0; n < 3; n++) expect(rowOf(binary, ['x'])).toEqual({ text: 'x' });
  });
});
