import { Check, Column, Entity, ForeignKey, Index } from 'typeorm';
import { ExactKey, ExactText } from '../../kernel/database/columns.js';

/**
 * A file: first an upload slot (`slot`), then with its bytes (`uploaded`), then visible to others (`complete`), and for
 * a while `deleted`.
 */
@Entity('files')
@Check('files_state_check', `state IN ('slot', 'uploaded', 'complete', 'deleted')`)
@Index('files_upload', ['uploadHash'], { unique: true, where: 'upload_hash IS NOT NULL' })
@Index('files_of_workspace', ['workspaceId'])
@Index('files_unfinished', ['completeUntil'], { where: `state = ANY (ARRAY['slot', 'uploaded'])` })
@Index('files_public', ['publicSecret'], { where: 'public_secret IS NOT NULL' })
@Index('files_content', ['workspaceId', 'contentHash'], { where: 'content_hash IS NOT NULL' })
export class StoredFile {
  @ExactKey() id: string;
  @ForeignKey('workspaces', { onDelete: 'CASCADE' })
  @ExactText()
  workspaceId: string;
  /** Null: a person without an app. */
  @ExactText({ nullable: true }) appId: string | null;
  @ExactText() userId: string;
  @ExactText({ default: 'slot' }) state: string;
  @Column('text') name: string;
  @Column('text') title: string;
  @Column('text', { nullable: true }) altTxt: string | null;
  /** As announced, then as it is. */
  @Column('bigint') size: number;
  /** SHA-256 of the upload URL's secret part; null once it can no longer be used. */
  @ExactText({ nullable: true }) uploadHash: string | null;
  /** SHA-256 of the bytes. */
  @ExactText({ nullable: true }) contentHash: string | null;
  /** What the bytes say (file-details.ts). */
  @Column('jsonb', { nullable: true }) details: object | null;
  /** The secret part of its public URL; null: it has none. */
  @ExactText({ nullable: true }) publicSecret: string | null;
  /** Microseconds. */
  @Column('bigint') createdAt: number;
  /** Real time: upload URLs and unused slots do not depend on a sandbox's clock. */
  @Column('timestamptz') uploadUntil: Date;
  @Column('timestamptz') completeUntil: Date;
}
