import { Column, PrimaryColumn, type ColumnOptions, type ColumnType } from 'typeorm';

/*
 * What the tracker's row classes are made of. A property is named like the field of the wire where there is one, its
 * column the same in snake_case. Rows refer to each other by id.
 */

/** A column of a row. Moments have milliseconds (Date), days are `date` (`YYYY-MM-DD`). */
export function Stored(type: ColumnType, options: ColumnOptions = {}): PropertyDecorator {
  return Column({ type, ...(type === 'timestamptz' ? { precision: 3 } : {}), ...options });
}

export const nullable = { nullable: true };

export abstract class Row {
  @PrimaryColumn('uuid') id: string;
  @Stored('timestamptz', { default: () => 'now()' }) createdAt: Date;
  @Stored('timestamptz', { default: () => 'now()' }) updatedAt: Date;
}

/** What belongs to an organization; all but the organization itself. */
export abstract class OwnedRow extends Row {
  @Stored('uuid') organizationId: string;
}
