import { InputType } from '@nestjs/graphql';
import { OptionalField } from '../graphql/fields.js';
import {
  IDComparator,
  StringComparator,
  NullableStringComparator,
  NumberComparator,
  BooleanComparator,
  DateComparator,
  EqualityOf,
} from '../graphql/filters.js';
import { TeamVisibility } from './teams.types.js';

@InputType()
export class TeamVisibilityComparator extends EqualityOf<TeamVisibility>(() => TeamVisibility) {}

/** What a filter on teams compares itself; the filters on what they refer to are in `teams.relations.ts`. */
@InputType({ isAbstract: true })
abstract class TeamConditions {
  @OptionalField(() => IDComparator) id?: IDComparator | null;
  @OptionalField(() => DateComparator) createdAt?: DateComparator | null;
  @OptionalField(() => DateComparator) updatedAt?: DateComparator | null;
  @OptionalField(() => NullableStringComparator) description?: NullableStringComparator | null;
  @OptionalField(() => StringComparator) key?: StringComparator | null;
  @OptionalField(() => StringComparator) name?: StringComparator | null;
  @OptionalField(() => BooleanComparator) private?: BooleanComparator | null;
  @OptionalField(() => TeamVisibilityComparator) visibility?: TeamVisibilityComparator | null;
}

@InputType()
export class TeamFilter extends TeamConditions {
  @OptionalField(() => [TeamFilter]) and?: TeamFilter[] | null;
  @OptionalField(() => [TeamFilter]) or?: TeamFilter[] | null;
}

@InputType()
export class NullableTeamFilter extends TeamConditions {
  @OptionalField(() => [NullableTeamFilter]) and?: NullableTeamFilter[] | null;
  @OptionalField(() => [NullableTeamFilter]) or?: NullableTeamFilter[] | null;
  @OptionalField(() => Boolean) null?: boolean | null;
}

/** Teams of a project: of the plain keys only those of a team in general are offered; `some` and `every` take all. */
@InputType()
export class TeamCollectionFilter {
  @OptionalField(() => IDComparator) id?: IDComparator | null;
  @OptionalField(() => DateComparator) createdAt?: DateComparator | null;
  @OptionalField(() => DateComparator) updatedAt?: DateComparator | null;
  @OptionalField(() => [TeamCollectionFilter]) and?: TeamCollectionFilter[] | null;
  @OptionalField(() => [TeamCollectionFilter]) or?: TeamCollectionFilter[] | null;
  @OptionalField(() => TeamFilter) some?: TeamFilter | null;
  @OptionalField(() => TeamFilter) every?: TeamFilter | null;
  @OptionalField(() => NumberComparator) length?: NumberComparator | null;
}
