import { Entity } from 'typeorm';
import { ExactKey } from './columns.js';

/**
 * A column with secrets that the server has to read again (stored-secrets.ts). At start-up their values are encrypted
 * if they are plain or under an older key; the migration that makes such a column adds it.
 */
@Entity('sealed_columns')
export class SealedColumn {
  @ExactKey() tbl: string;
  @ExactKey() col: string;
}
