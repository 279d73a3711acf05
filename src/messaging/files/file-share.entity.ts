import { Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { ExactKey } from '../../kernel/database/columns.js';

/** Which message shows a file where. */
@Entity('file_shares')
@Index('file_shares_of_message', ['conversationId', 'ts'])
export class FileShare {
  @ForeignKey('files', { onDelete: 'CASCADE' })
  @ExactKey()
  fileId: string;
  @ExactKey() conversationId: string;
  @PrimaryColumn('bigint') ts: number;
}
