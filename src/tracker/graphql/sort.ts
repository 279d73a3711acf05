import { InputType, registerEnumType } from '@nestjs/graphql';
import { OptionalField } from './fields.js';

export enum PaginationSortOrder {
  Ascending = 'Ascending',
  Descending = 'Descending',
}
registerEnumType(PaginationSortOrder, { name: 'PaginationSortOrder' });

export enum PaginationNulls {
  first = 'first',
  last = 'last',
}
registerEnumType(PaginationNulls, { name: 'PaginationNulls' });

/** What every sort key takes: `order` default Ascending, `nulls` default last (docs/reference/tracker.md#filters). */
@InputType({ isAbstract: true })
export abstract class Sort {
  @OptionalField(() => PaginationSortOrder) order?: PaginationSortOrder | null;
  @OptionalField(() => PaginationNulls) nulls?: PaginationNulls | null;
}

/** That of priorities takes besides where those without one come. */
@InputType({ isAbstract: true })
export abstract class PrioritySort extends Sort {
  @OptionalField(() => Boolean) noPriorityFirst?: boolean | null;
}
