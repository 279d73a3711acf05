import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { ExactKey, ExactText } from '../../kernel/database/columns.js';

/** A trajectory that is being played, or was and nobody has been told yet. */
@Entity('trajectory_replays')
@Index('trajectory_replays_sent', ['tenantId', 'digest'], { unique: true })
export class TrajectoryReplay {
  @ExactKey() id: string;
  @ForeignKey('tenants', { onDelete: 'CASCADE' })
  @Column('bigint')
  tenantId: number;
  /** SHA-256 of what was sent. */
  @ExactText() digest: string;
  @Column('text') file: string;
  /** Whether the first difference ends it. */
  @Column('boolean') stops: boolean;
  /** Who asked for it. */
  @Column('jsonb') caller: unknown;
  /** Null: it is being played. */
  @Column('jsonb', { nullable: true }) result: unknown;
  @ExactText() takenBy: string;
  @Index('trajectory_replays_taken')
  @Column('timestamptz')
  takenUntil: Date;
  @Column('timestamptz', { default: () => 'now()' }) createdAt: Date;
}

/** A call of it. */
@Entity('trajectory_steps')
export class TrajectoryStep {
  @ForeignKey('trajectory_replays', { onDelete: 'CASCADE' })
  @ExactKey()
  replayId: string;
  @Column('integer', { primary: true }) place: number;
  @ExactText() requestId: string;
  /** Null: it is under way. */
  @Column('jsonb', { nullable: true }) outcome: unknown;
}
