import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { ExactText, GeneratedText } from '../database/columns.js';

/** A tenant with a workspace as tests use it: its settings, one row per tenant. */
@Entity('sandboxes')
@Check('sandboxes_origin_check', `origin IN ('default', 'made', 'provisioned')`)
@Check('sandboxes_methods_check', `methods IN ('core', 'all')`)
@Check('sandboxes_missing_scope_status_check', 'missing_scope_status IN (200, 403)')
@Check('sandboxes_urls_check', `urls IN ('server', 'vendor')`)
@Check('sandboxes_clock_sign_with_check', `clock_sign_with IN ('wall', 'sandbox')`)
@Check('sandboxes_pool_role_check', `pool_role IN ('template', 'ready', 'surplus')`)
@Unique(['id'])
@Unique(['controlTokenHash'])
@Index('sandboxes_page', ['createdAt', 'id'])
@Index('sandboxes_of_owner', ['owner', 'createdAt', 'id'], { where: 'owner IS NOT NULL' })
@Index('sandboxes_expiry', ['expiresAt'], { where: 'expires_at IS NOT NULL' })
@Index('sandboxes_copied_from', ['copiedFrom'], { where: 'copied_from IS NOT NULL' })
@Index('sandboxes_of_pool', ['poolId', 'poolRole'], { where: 'pool_id IS NOT NULL' })
export class Sandbox {
  @ForeignKey('tenants', { onDelete: 'CASCADE' })
  @PrimaryColumn('bigint')
  tenantId: number;
  @ExactText({ default: () => `new_public_id('Sb')` }) id: string;
  /** Null: the workspace's. */
  @Column('text', { nullable: true }) name: string | null;
  @Column('jsonb', { default: {} }) labels: unknown;
  /** The named admin token that made it, or that made the sandbox it was copied from. */
  @ExactText({ nullable: true }) owner: string | null;
  /** `default`: the default workspace; `made`: by the sandboxes' own routes; `provisioned`: by any other way. */
  @ExactText({ default: 'provisioned' }) origin: string;
  /** Real time, as `expiresAt`. */
  @Column('timestamptz', { default: () => 'now()' }) createdAt: Date;
  @Column('timestamptz', { nullable: true }) expiresAt: Date | null;
  /** To within some seconds, real time. */
  @Column('timestamptz', { nullable: true }) lastCallAt: Date | null;
  /** Null: the server's default. */
  @Column('boolean', { nullable: true }) journal: boolean | null;
  @ExactText({ nullable: true }) methods: string | null;
  @Column('double precision', { nullable: true }) rateLimitMultiplier: number | null;
  @Column('smallint', { nullable: true }) missingScopeStatus: number | null;
  /** Incremented when all used allowances are reset: it is part of their keys. */
  @Column('integer', { default: 0 }) allowances: number;
  /** SHA-256 (hex). */
  @ExactText({ nullable: true }) controlTokenHash: string | null;
  /** Microseconds ahead of real time, or the time at which the clock is stopped, in microseconds since 1970. */
  @Column('bigint', { default: 0 }) clockOffset: number;
  @Column('bigint', { nullable: true }) clockFrozenAt: number | null;
  @ExactText({ default: 'wall' }) clockSignWith: string;
  /** How far a frozen clock goes on after each answered call, in milliseconds. */
  @Column('integer', { default: 0 }) clockTickMs: number;
  /** Which forms URLs have that are given out: this server's, or the vendors'. */
  @ExactText({ default: 'server' }) urls: string;
  /** What tells callers' ids from stored ones (kernel/ids/id-space). Null: they are the same. */
  @Column('bigint', { nullable: true }) idKey: number | null;
  /** What new ids are derived from where they are its own, together with the number of the call that makes them. */
  @Column('bigint', { default: 1 }) randomSeed: number;
  /**
   * How many calls that may make ids there were, where they are its own: state, so that equal calls after a reset, or in a
   * copy, make equal ids.
   */
  @Column('bigint', { default: 0 }) idDraws: number;
  /** Whether the same calls have the same answers: one call after the other takes effect. */
  @Column('boolean', { default: false }) deterministic: boolean;
  /** How many calls have asked for their turn, and the last one whose turn is over. */
  @Column('bigint', { default: 0 }) turnsTaken: number;
  @Column('bigint', { default: 0 }) turnsDone: number;
  @Column('boolean', { default: false }) hasFaults: boolean;
  @Column('boolean', { default: false }) hasDeliveryRules: boolean;
  /**
   * What every call needs to know of its sandbox, loaded with its caller (kernel/sandbox): JSON of the columns above.
   */
  @GeneratedText() flags: string;
  @Column('integer', { default: 0 }) epoch: number;
  @Column('integer', { nullable: true }) baselineEpoch: number | null;
  @Column('bigint', { nullable: true }) baselineRows: number | null;
  @Column('jsonb', { nullable: true }) baselineClock: unknown;
  @Column('timestamptz', { default: () => `'-infinity'` }) resetAt: Date;
  /** The newest message that a reset took back, in microseconds: later ones may get its timestamp again. */
  @Column('bigint', { default: 0 }) resetTs: number;
  /**
   * The control token or admin that made it, by the first sandbox of a chain of copies. Operators' copies have none.
   */
  @Column('bigint', { nullable: true }) copiedFrom: number | null;
  /** The pool that it was made by. */
  @ForeignKey('pools', { onDelete: 'SET NULL' })
  @ExactText({ nullable: true })
  poolId: string | null;
  /**
   * `template`: the pool's own copy of its snapshot; `ready`: waits for a claim; `surplus`: waits for its deletion; null:
   * a sandbox like any other.
   */
  @ExactText({ nullable: true }) poolRole: string | null;
  /** For whom apps are installed in a copy that has no credentials yet. */
  @Column('jsonb', { nullable: true }) poolGrants: unknown;
}
