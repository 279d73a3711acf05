import { InputType } from '@nestjs/graphql';
import { OptionalField } from '../../graphql/fields.js';
import {
  IDComparator,
  StringComparator,
  NumberComparator,
  BooleanComparator,
  DateComparator,
} from '../../graphql/filters.js';

/** What a filter on labels compares itself; the filters on what they refer to are in `labels.relations.ts`. */
@InputType({ isAbstract: true })
abstract class IssueLabelConditions {
  @OptionalField(() => IDComparator) id?: IDComparator | null;
  @OptionalField(() => DateComparator) createdAt?: DateComparator | null;
  @OptionalField(() => DateComparator) updatedAt?: DateComparator | null;
  @OptionalField(() => BooleanComparator) isGroup?: BooleanComparator | null;
  @OptionalField(() => StringComparator) name?: StringComparator | null;
}

@InputType()
export class IssueLabelFilter extends IssueLabelConditions {
  @OptionalField(() => [IssueLabelFilter]) and?: IssueLabelFilter[] | null;
  @OptionalField(() => [IssueLabelFilter]) or?: IssueLabelFilter[] | null;
}

@InputType()
export class IssueLabelCollectionFilter extends IssueLabelConditions {
  @OptionalField(() => [IssueLabelCollectionFilter]) and?: IssueLabelCollectionFilter[] | null;
  @OptionalField(() => [IssueLabelCollectionFilter]) or?: IssueLabelCollectionFilter[] | null;
  @OptionalField(() => Boolean) null?: boolean | null;
  @OptionalField(() => IssueLabelFilter) some?: IssueLabelFilter | null;
  @OptionalField(() => IssueLabelFilter) every?: IssueLabelFilter | null;
  @OptionalField(() => NumberComparator) length?: NumberComparator | null;
}
