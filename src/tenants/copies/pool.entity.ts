import { Check, Column, Entity, Unique } from 'typeorm';
import { ExactKey, ExactText } from '../../kernel/database/columns.js';

/** Sandboxes that are made in advance and wait for a claim. */
@Entity('pools')
@Check('pools_urls_check', `urls IN ('server', 'vendor')`)
@Check('pools_id_space_check', `id_space IN ('server', 'own')`)
@Unique(['name'])
export class Pool {
  @ExactKey({ default: () => `new_public_id('Po')` }) id: string;
  @ExactText() name: string;
  /** The named admin token that made it. */
  @ExactText({ nullable: true }) owner: string | null;
  /** The snapshot's id; the pool has a copy of its own, so it may be gone. */
  @ExactText() snapshot: string;
  /** The snapshot's clock, from which that of a claimed sandbox starts. */
  @Column('jsonb') clock: unknown;
  @Column('integer') size: number;
  @Column('boolean') refill: boolean;
  /** How many are still to be made; with `refill` it follows from `size`. */
  @Column('integer') toMake: number;
  /** Of a claimed sandbox; null: it does not end. */
  @Column('integer', { nullable: true }) ttlSeconds: number | null;
  @ExactText({ default: 'server' }) urls: string;
  /** `own`: its sandboxes have the ids of the snapshot, each for itself. */
  @ExactText({ default: 'server' }) idSpace: string;
  /** Whether the same calls have the same answers in each of them. */
  @Column('boolean', { default: false }) deterministic: boolean;
  /** Why none can be made at the moment. */
  @Column('text', { nullable: true }) error: string | null;
  @Column('timestamptz', { default: () => 'now()' }) createdAt: Date;
}
