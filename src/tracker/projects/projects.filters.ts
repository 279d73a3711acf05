import { InputType } from '@nestjs/graphql';
import { OptionalField } from '../graphql/fields.js';
import {
  EntityIdentifierIdComparator,
  StringComparator,
  NumberComparator,
  NullableNumberComparator,
  RelationExistsComparator,
  DateComparator,
  NullableDateComparator,
} from '../graphql/filters.js';

/** What a filter on projects compares itself; the filters on what they refer to are in `projects.relations.ts`. */
@InputType({ isAbstract: true })
abstract class ProjectConditions {
  @OptionalField(() => EntityIdentifierIdComparator) id?: EntityIdentifierIdComparator | null;
  @OptionalField(() => DateComparator) createdAt?: DateComparator | null;
  @OptionalField(() => DateComparator) updatedAt?: DateComparator | null;
  @OptionalField(() => NullableDateComparator) canceledAt?: NullableDateComparator | null;
  @OptionalField(() => NullableDateComparator) completedAt?: NullableDateComparator | null;
  @OptionalField(() => RelationExistsComparator) hasBlockedByRelations?: RelationExistsComparator | null;
  @OptionalField(() => RelationExistsComparator) hasBlockingRelations?: RelationExistsComparator | null;
  @OptionalField(() => RelationExistsComparator) hasDependedOnByRelations?: RelationExistsComparator | null;
  @OptionalField(() => RelationExistsComparator) hasDependsOnRelations?: RelationExistsComparator | null;
  @OptionalField(() => RelationExistsComparator) hasRelatedRelations?: RelationExistsComparator | null;
  @OptionalField(() => StringComparator) health?: StringComparator | null;
  @OptionalField(() => StringComparator) name?: StringComparator | null;
  @OptionalField(() => NullableNumberComparator) priority?: NullableNumberComparator | null;
  @OptionalField(() => StringComparator) slugId?: StringComparator | null;
  @OptionalField(() => NullableDateComparator) startDate?: NullableDateComparator | null;
  @OptionalField(() => NullableDateComparator) startedAt?: NullableDateComparator | null;
  @OptionalField(() => StringComparator) state?: StringComparator | null;
  @OptionalField(() => NullableDateComparator) targetDate?: NullableDateComparator | null;
}

@InputType()
export class ProjectFilter extends ProjectConditions {
  @OptionalField(() => [ProjectFilter]) and?: ProjectFilter[] | null;
  @OptionalField(() => [ProjectFilter]) or?: ProjectFilter[] | null;
}

@InputType()
export class NullableProjectFilter extends ProjectConditions {
  @OptionalField(() => [NullableProjectFilter]) and?: NullableProjectFilter[] | null;
  @OptionalField(() => [NullableProjectFilter]) or?: NullableProjectFilter[] | null;
  @OptionalField(() => Boolean) null?: boolean | null;
}

@InputType()
export class ProjectCollectionFilter extends ProjectConditions {
  @OptionalField(() => [ProjectCollectionFilter]) and?: ProjectCollectionFilter[] | null;
  @OptionalField(() => [ProjectCollectionFilter]) or?: ProjectCollectionFilter[] | null;
  @OptionalField(() => ProjectFilter) some?: ProjectFilter | null;
  @OptionalField(() => ProjectFilter) every?: ProjectFilter | null;
  @OptionalField(() => NumberComparator) length?: NumberComparator | null;
}
