import { Entity } from 'typeorm';
import { ExactKey } from './columns.js';

/**
 * A column with secrets that the server has to read again (stored-secrets.ts). A start looks through these and encrypts
 * what is readable or under an older key; the migration that makes such a column adds it.
 */
@Entity('sealed_columns')
export class SealedColumn {
  @ExactKey() tbl: string;
  @ExactKey() col: string;
}
