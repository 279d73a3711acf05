import { InputType } from '@nestjs/graphql';
import { OptionalField } from '../graphql/fields.js';
import { Sort } from '../graphql/sort.js';

@InputType()
export class ApproximateNeedCountSort extends Sort {}

@InputType()
export class CustomerCreatedAtSort extends Sort {}

@InputType()
export class NameSort extends Sort {}

@InputType()
export class OwnerSort extends Sort {}

@InputType()
export class RevenueSort extends Sort {}

@InputType()
export class SizeSort extends Sort {}

@InputType()
export class CustomerStatusSort extends Sort {}

@InputType()
export class TierSort extends Sort {}

/** One key an object (docs/reference/tracker.md#filters). */
@InputType()
export class CustomerSortInput {
  @OptionalField(() => ApproximateNeedCountSort) approximateNeedCount?: ApproximateNeedCountSort | null;
  @OptionalField(() => CustomerCreatedAtSort) createdAt?: CustomerCreatedAtSort | null;
  @OptionalField(() => NameSort) name?: NameSort | null;
  @OptionalField(() => OwnerSort) owner?: OwnerSort | null;
  @OptionalField(() => RevenueSort) revenue?: RevenueSort | null;
  @OptionalField(() => SizeSort) size?: SizeSort | null;
  @OptionalField(() => CustomerStatusSort) status?: CustomerStatusSort | null;
  @OptionalField(() => TierSort) tier?: TierSort | null;
}
