import { InputType } from '@nestjs/graphql';
import { OptionalField } from '../graphql/fields.js';
import {
  IssueIDComparator,
  StringComparator,
  NullableStringComparator,
  NumberComparator,
  NullableNumberComparator,
  DateComparator,
  NullableDateComparator,
  NullableTimelessDateComparator,
  EstimateComparator,
  RelationExistsComparator,
} from '../graphql/filters.js';

/** What a filter on issues compares itself; the filters on what they refer to are in `issues.relations.ts`. */
@InputType({ isAbstract: true })
abstract class IssueConditions {
  @OptionalField(() => IssueIDComparator) id?: IssueIDComparator | null;
  @OptionalField(() => DateComparator) createdAt?: DateComparator | null;
  @OptionalField(() => DateComparator) updatedAt?: DateComparator | null;
  @OptionalField(() => NullableDateComparator) addedToCycleAt?: NullableDateComparator | null;
  @OptionalField(() => NullableDateComparator) archivedAt?: NullableDateComparator | null;
  @OptionalField(() => NullableDateComparator) canceledAt?: NullableDateComparator | null;
  @OptionalField(() => NullableDateComparator) completedAt?: NullableDateComparator | null;
  @OptionalField(() => NullableStringComparator) description?: NullableStringComparator | null;
  @OptionalField(() => NullableTimelessDateComparator) dueDate?: NullableTimelessDateComparator | null;
  @OptionalField(() => EstimateComparator) estimate?: EstimateComparator | null;
  @OptionalField(() => RelationExistsComparator) hasBlockedByRelations?: RelationExistsComparator | null;
  @OptionalField(() => RelationExistsComparator) hasBlockingRelations?: RelationExistsComparator | null;
  @OptionalField(() => RelationExistsComparator) hasDuplicateRelations?: RelationExistsComparator | null;
  @OptionalField(() => RelationExistsComparator) hasRelatedRelations?: RelationExistsComparator | null;
  @OptionalField(() => NumberComparator) number?: NumberComparator | null;
  @OptionalField(() => NullableNumberComparator) priority?: NullableNumberComparator | null;
  @OptionalField(() => NullableDateComparator) snoozedUntilAt?: NullableDateComparator | null;
  @OptionalField(() => NullableDateComparator) startedAt?: NullableDateComparator | null;
  @OptionalField(() => StringComparator) title?: StringComparator | null;
}

@InputType()
export class IssueFilter extends IssueConditions {
  @OptionalField(() => [IssueFilter]) and?: IssueFilter[] | null;
  @OptionalField(() => [IssueFilter]) or?: IssueFilter[] | null;
}

@InputType()
export class NullableIssueFilter extends IssueConditions {
  @OptionalField(() => [NullableIssueFilter]) and?: NullableIssueFilter[] | null;
  @OptionalField(() => [NullableIssueFilter]) or?: NullableIssueFilter[] | null;
  @OptionalField(() => Boolean) null?: boolean | null;
}

@InputType()
export class IssueCollectionFilter extends IssueConditions {
  @OptionalField(() => [IssueCollectionFilter]) and?: IssueCollectionFilter[] | null;
  @OptionalField(() => [IssueCollectionFilter]) or?: IssueCollectionFilter[] | null;
  @OptionalField(() => IssueFilter) some?: IssueFilter | null;
  @OptionalField(() => IssueFilter) every?: IssueFilter | null;
  @OptionalField(() => NumberComparator) length?: NumberComparator | null;
}
