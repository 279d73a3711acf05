import { Check, Column, Entity } from 'typeorm';
import { ExactKey, ExactText, Numbered } from '../database/columns.js';

/**
 * A table that a reset restores, how its rows lead to their tenant, and its order; or the reason why it is not
 * restored.
 */
@Entity('sandbox_tables')
@Check(
  'sandbox_tables_owner_check',
  `owner IN ('tenant', 'workspace', 'conversation', 'organization', 'issue', 'project')`,
)
export class TrackedTable {
  @ExactKey() name: string;
  @Numbered('integer')
  position: number;
  /** Null: not tracked, for the reason given. */
  @ExactText({ nullable: true }) owner: string | null;
  @Column('text', { array: true, default: [] }) keys: string[];
  /** Ignored columns: changes of them alone are not kept, and a reset leaves them. */
  @Column('text', { array: true, default: [] }) keep: string[];
  @Column('text', { nullable: true }) reason: string | null;
}
