import { Column, Entity } from 'typeorm';
import { ExactKey } from './columns.js';

/** Secrets and facts of this installation, created once under the migration lock. */
@Entity('instance_values')
export class InstanceValue {
  @ExactKey() key: string;
  @Column('text') value: string;
}
