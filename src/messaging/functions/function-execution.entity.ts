import { Check, Column, Entity, ForeignKey, Index } from 'typeorm';
import { ExactKey, ExactText } from '../../kernel/database/columns.js';

export type ExecutionStatus = 'running' | 'completed' | 'failed';

/** A custom step of an app that a person ran (docs/reference/chat.md#custom-steps). */
@Entity('function_executions')
@Check('function_executions_status_check', `status IN ('running', 'completed', 'failed')`)
@Index('function_executions_workflow', ['workflowExecutionId'], { unique: true })
@Index('function_executions_page', ['workspaceId', 'appId', 'startedAt'])
export class FunctionExecution {
  @ExactKey() id: string;
  @ExactText() workflowExecutionId: string;
  @ForeignKey('workspaces', { onDelete: 'CASCADE' })
  @ExactText()
  workspaceId: string;
  @ExactText() appId: string;
  @ExactText() userId: string;
  @Column('text') callbackId: string;
  @ExactText({ default: 'running' }) status: ExecutionStatus;
  @Column('jsonb') inputs: object;
  @Column('jsonb', { default: {} }) outputs: object;
  /** What the app said when it failed. */
  @Column('text', { nullable: true }) error: string | null;
  /** Microseconds by the sandbox's clock. */
  @Column('bigint') startedAt: number;
}
