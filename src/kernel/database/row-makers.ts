import pg, { type FieldDef } from 'pg';
import './type-parsers.js';

/*
 * How rows are made, set once for the process by importing this file. The driver fills each row property by property,
 * for all statements in one place, which V8 looks up anew each time: 90 µs for 50 rows of 38 columns. A function with the
 * row written out takes 5 (docs/decisions/measured.md#the-database).
 */

type Values = readonly (string | null)[];
type Parser = (text: string) => unknown;
type RowMaker = (values: Values) => object;

/** Parts of the driver's result that its types leave out. */
interface ResultInternals {
  fields: FieldDef[];
  readonly rowAsArray: boolean;
  parseRow: RowMaker;
  addFields(fields: FieldDef[]): void;
}

/** Statements made at run time may have any columns. */
const MOST_KNOWN = 1_000;
/** By columns; null for those that came once, as many never come again. */
const known = new Map<string, RowMaker | null>();
const asItIs = pg.types.getTypeParser(pg.types.builtins.TEXT) as Parser;

function rowMaker(fields: readonly FieldDef[]): RowMaker {
  const parsers = fields.map(({ dataTypeID }) => pg.types.getTypeParser(dataTypeID) as Parser);
  const properties = fields.map(({ name }, i) => {
    const value = parsers[i] === asItIs ? `values[${i}]` : `values[${i}] === null ? null : parsers[${i}](values[${i}])`;
    return `${JSON.stringify(name)}: ${value}`;
  });
  // oxlint-disable-next-line typescript/no-implied-eval -- column names, as literals
  const made = new Function('parsers', 'values', `return { ${properties.join(', ')} };`) as (
    parsers: readonly Parser[],
    values: Values,
  ) => object;
  return (values) => made(parsers, values);
}

const { prototype } = (pg as unknown as { Result: { prototype: ResultInternals } }).Result;
const addFields = prototype.addFields;
prototype.addFields = function (this: ResultInternals, fields: FieldDef[]): void {
  if (this.rowAsArray || fields.some(({ format }) => format !== 'text')) return addFields.call(this, fields);
  const key = fields.map(({ name, dataTypeID }) => `${dataTypeID} ${name}`).join('\n');
  const seen = known.get(key);
  if (seen === undefined) {
    if (known.size < MOST_KNOWN) known.set(key, null);
    return addFields.call(this, fields);
  }
  const make = seen ?? rowMaker(fields);
  if (seen === null) known.set(key, make);
  this.fields = fields;
  this.parseRow = make;
};
