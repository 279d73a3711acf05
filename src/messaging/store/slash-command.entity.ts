import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { ExactKey, ExactText } from '../../kernel/database/columns.js';

/** A command that an app answers (docs/reference/control-plane.md#slash-commands). */
@Entity('slash_commands')
@Index('slash_commands_name', ['workspaceId', 'command'], { unique: true })
@Index('slash_commands_page', ['workspaceId', 'createdAt', 'id'])
export class SlashCommand {
  @ExactKey() id: string;
  @ForeignKey('workspaces', { onDelete: 'CASCADE' })
  @ExactText()
  workspaceId: string;
  @ExactText() appId: string;
  /** With its `/`. */
  @ExactText() command: string;
  /** Null for an app that is reached over sockets. */
  @Column('text', { nullable: true }) url: string | null;
  @Column('text', { default: '' }) description: string;
  @Column('text', { default: '' }) usageHint: string;
  @ExactText() creatorId: string;
  /** Microseconds. */
  @Column('bigint') createdAt: number;
}
