import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { ExactKey, ExactText } from '../../kernel/database/columns.js';

/** A URL that an app may answer a command or a click with later (docs/reference/control-plane.md#response-urls). */
@Entity('response_urls')
@Index('response_urls_of_workspace', ['workspaceId'])
@Index('response_urls_age', ['createdAt'])
export class ResponseUrl {
  /** SHA-256 (hex) of its secret part. */
  @ExactKey() hash: string;
  @ForeignKey('workspaces', { onDelete: 'CASCADE' })
  @ExactText()
  workspaceId: string;
  @ExactText() appId: string;
  @ExactText() conversationId: string;
  @ExactText() userId: string;
  /** The message that was clicked on. */
  @Column('bigint', { nullable: true }) messageTs: number | null;
  @Column('integer', { default: 0 }) uses: number;
  @Column('timestamptz') expiresAt: Date;
  /** In the sandbox's time, as every time that apps see. */
  @Column('timestamptz', { default: () => 'clock_timestamp()' }) createdAt: Date;
}
