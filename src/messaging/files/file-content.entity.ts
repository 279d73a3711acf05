import { Column, Entity, ForeignKey } from 'typeorm';
import { ExactKey } from '../../kernel/database/columns.js';

/** Bytes of files, once for equal files of a workspace. */
@Entity('file_contents')
export class FileContent {
  @ForeignKey('workspaces', { onDelete: 'CASCADE' })
  @ExactKey()
  workspaceId: string;
  @ExactKey() hash: string;
  @Column('bytea') bytes: Buffer;
}
