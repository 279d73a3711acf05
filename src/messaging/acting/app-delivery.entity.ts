import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { ExactText } from '../../kernel/database/columns.js';

/**
 * The outcome of an attempt to reach an app, kept for an hour: events, commands, interactions. Losing rows does no
 * harm.
 */
@Entity('app_deliveries')
@Index('app_deliveries_page', ['appId', 'id'])
@Index('app_deliveries_of_event', ['eventId', 'targetId'], { where: 'event_id IS NOT NULL' })
@Index('app_deliveries_age', ['at'])
export class AppDelivery {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' }) id: number;
  /** Null for webhooks of the tracker, like the app. */
  @ExactText({ nullable: true }) workspaceId: string | null;
  @ExactText({ nullable: true }) appId: string | null;
  /** Place in the log; null for commands and interactions. */
  @Column('bigint', { nullable: true }) eventId: number | null;
  @ExactText({ nullable: true }) targetId: string | null;
  /** The event's id at the app. */
  @ExactText({ nullable: true }) publicEventId: string | null;
  @ExactText() kind: string;
  @ExactText() transport: string;
  @ExactText() outcome: string;
  @Column('integer', { nullable: true }) statusCode: number | null;
  @ExactText({ nullable: true }) error: string | null;
  @Column('integer') ms: number;
  /** 1 for the first. */
  @Column('integer') attempt: number;
  /** When it ended, in real time. */
  @Column('timestamptz') at: Date;
}
