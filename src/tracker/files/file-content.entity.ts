import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { ExactKey } from '../../kernel/database/columns.js';

/** Bytes of files, once for equal files of an organization. */
@Entity('tracker_file_contents')
export class TrackerFileContent {
  @ForeignKey('organizations', { onDelete: 'CASCADE' })
  @PrimaryColumn('uuid')
  organizationId: string;
  @ExactKey() hash: string;
  @Column('bytea') bytes: Buffer;
}
