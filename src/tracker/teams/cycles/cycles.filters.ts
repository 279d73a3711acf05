import { InputType } from '@nestjs/graphql';
import { OptionalField } from '../../graphql/fields.js';
import {
  IDComparator,
  StringComparator,
  NumberComparator,
  BooleanComparator,
  DateComparator,
} from '../../graphql/filters.js';

/** What a filter on cycles compares itself; the filters on what they refer to are in `cycles.relations.ts`. */
@InputType({ isAbstract: true })
abstract class CycleConditions {
  @OptionalField(() => IDComparator) id?: IDComparator | null;
  @OptionalField(() => DateComparator) createdAt?: DateComparator | null;
  @OptionalField(() => DateComparator) updatedAt?: DateComparator | null;
  @OptionalField(() => DateComparator) completedAt?: DateComparator | null;
  @OptionalField(() => DateComparator) endsAt?: DateComparator | null;
  @OptionalField(() => BooleanComparator) isActive?: BooleanComparator | null;
  @OptionalField(() => BooleanComparator) isFuture?: BooleanComparator | null;
  @OptionalField(() => BooleanComparator) isNext?: BooleanComparator | null;
  @OptionalField(() => BooleanComparator) isPast?: BooleanComparator | null;
  @OptionalField(() => BooleanComparator) isPrevious?: BooleanComparator | null;
  @OptionalField(() => StringComparator) name?: StringComparator | null;
  @OptionalField(() => NumberComparator) number?: NumberComparator | null;
  @OptionalField(() => DateComparator) startsAt?: DateComparator | null;
}

@InputType()
export class CycleFilter extends CycleConditions {
  @OptionalField(() => [CycleFilter]) and?: CycleFilter[] | null;
  @OptionalField(() => [CycleFilter]) or?: CycleFilter[] | null;
}

@InputType()
export class NullableCycleFilter extends CycleConditions {
  @OptionalField(() => [NullableCycleFilter]) and?: NullableCycleFilter[] | null;
  @OptionalField(() => [NullableCycleFilter]) or?: NullableCycleFilter[] | null;
  @OptionalField(() => Boolean) null?: boolean | null;
}
