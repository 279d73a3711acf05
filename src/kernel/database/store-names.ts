import { DefaultNamingStrategy, type Table } from 'typeorm';

export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Names as in the migrations: columns in snake_case, keys with PostgreSQL's default names. */
export class StoreNames extends DefaultNamingStrategy {
  override columnName(property: string, given: string, prefixes: string[]): string {
    return given || snakeCase([...prefixes, property].join('_'));
  }

  override primaryKeyName(table: Table | string): string {
    return `${this.getTableName(table)}_pkey`;
  }

  override uniqueConstraintName(table: Table | string, columns: string[]): string {
    return `${this.getTableName(table)}_${columns.join('_')}_key`;
  }

  override foreignKeyName(table: Table | string, columns: string[]): string {
    return `${this.getTableName(table)}_${columns.join('_')}_fkey`;
  }
}
