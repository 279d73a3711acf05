import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { ExactText } from '../../kernel/database/columns.js';

/** A file of an organization (docs/reference/tracker.md#files): first a place to upload to, then with its bytes. */
@Entity('tracker_files')
@Index('tracker_files_upload', ['uploadHash'], { unique: true, where: 'upload_hash IS NOT NULL' })
@Index('tracker_files_unfinished', ['uploadUntil'], { where: 'content_hash IS NULL' })
@Index('tracker_files_content', ['organizationId', 'contentHash'])
export class TrackerFile {
  @PrimaryColumn('uuid') id: string;
  @ForeignKey('organizations', { onDelete: 'CASCADE' })
  @Column('uuid')
  organizationId: string;
  @Column('text') filename: string;
  @Column('text') contentType: string;
  /** In bytes. */
  @Column('integer') size: number;
  @Column('jsonb', { nullable: true }) metaData: object | null;
  /** Whoever has its address gets it. */
  @Column('boolean', { default: false }) isPublic: boolean;
  /** SHA-256 of the upload URL's secret part; null once it was used. */
  @ExactText({ nullable: true }) uploadHash: string | null;
  /** SHA-256 of the bytes; null before the upload. */
  @ExactText({ nullable: true }) contentHash: string | null;
  /** Real time: upload URLs do not depend on a sandbox's clock. */
  @Column('timestamptz') uploadUntil: Date;
  @CreateDateColumn({ type: 'timestamptz', precision: 3 }) createdAt: Date;
}
