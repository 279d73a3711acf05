/** Values of a statement whose text is made at run time: text only ever holds `$n`. */
export class SqlValues {
  readonly all: unknown[] = [];

  /** The parameter that stands for the value. @param type its SQL type */
  add(value: unknown, type: 'text' | 'text[]' | 'int' | 'bigint'): string {
    this.all.push(value);
    return `$${this.all.length}::${type}`;
  }
}
