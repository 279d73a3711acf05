import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { ExactKey, ExactText } from '../../kernel/database/columns.js';

export const SESSION_STATUSES = ['processing', 'suspended', 'active', 'closed'] as const;
export type SessionStatus = (typeof SESSION_STATUSES)[number];

/** One agent's part in a session. */
export interface AgentStatus {
  readonly appId: string;
  readonly botUserId: string;
  readonly status: SessionStatus;
  /** When `processing` ends by itself, in microseconds; null: it is not. */
  readonly expiresAt: number | null;
  /** The app hears when a person stops it. */
  readonly isStoppable: boolean;
  readonly username?: string | undefined;
  readonly iconEmoji?: string | undefined;
  readonly iconUrl?: string | undefined;
}

/** What agents do in a thread (docs/reference/chat.md#agent-sessions). Times are microseconds. */
@Entity('agent_sessions')
@ForeignKey('messages', ['conversationId', 'threadTs'], ['conversationId', 'ts'], { onDelete: 'CASCADE' })
@Index('agent_sessions_due', ['expiresAt'], { where: 'expires_at IS NOT NULL' })
@Index('agent_sessions_page', ['workspaceId', 'threadTs'])
export class AgentSession {
  @ExactKey() conversationId: string;
  @PrimaryColumn('bigint') threadTs: number;
  @ExactText() workspaceId: string;
  @Column('text', { nullable: true }) title: string | null;
  /** In the order in which the agents came. */
  @Column('jsonb') statuses: AgentStatus[];
  /** When the first `processing` of them ends; null: none is. */
  @Column('bigint', { nullable: true }) expiresAt: number | null;
}
