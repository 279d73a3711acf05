import { InputType } from '@nestjs/graphql';
import { OptionalField } from '../../graphql/fields.js';
import {
  IDComparator,
  StringComparator,
  NumberComparator,
  BooleanComparator,
  DateComparator,
} from '../../graphql/filters.js';

/** What a filter on users compares itself; the filters on what they refer to are in `users.relations.ts`. */
@InputType({ isAbstract: true })
abstract class UserConditions {
  @OptionalField(() => IDComparator) id?: IDComparator | null;
  @OptionalField(() => DateComparator) createdAt?: DateComparator | null;
  @OptionalField(() => DateComparator) updatedAt?: DateComparator | null;
  @OptionalField(() => BooleanComparator) active?: BooleanComparator | null;
  @OptionalField(() => BooleanComparator) admin?: BooleanComparator | null;
  @OptionalField(() => BooleanComparator) app?: BooleanComparator | null;
  @OptionalField(() => StringComparator) displayName?: StringComparator | null;
  @OptionalField(() => StringComparator) email?: StringComparator | null;
  @OptionalField(() => BooleanComparator) isMe?: BooleanComparator | null;
  @OptionalField(() => StringComparator) name?: StringComparator | null;
  @OptionalField(() => BooleanComparator) owner?: BooleanComparator | null;
}

@InputType()
export class UserFilter extends UserConditions {
  @OptionalField(() => [UserFilter]) and?: UserFilter[] | null;
  @OptionalField(() => [UserFilter]) or?: UserFilter[] | null;
}

@InputType()
export class NullableUserFilter extends UserConditions {
  @OptionalField(() => [NullableUserFilter]) and?: NullableUserFilter[] | null;
  @OptionalField(() => [NullableUserFilter]) or?: NullableUserFilter[] | null;
  @OptionalField(() => Boolean) null?: boolean | null;
}

@InputType()
export class UserCollectionFilter extends UserConditions {
  @OptionalField(() => [UserCollectionFilter]) and?: UserCollectionFilter[] | null;
  @OptionalField(() => [UserCollectionFilter]) or?: UserCollectionFilter[] | null;
  @OptionalField(() => UserFilter) some?: UserFilter | null;
  @OptionalField(() => UserFilter) every?: UserFilter | null;
  @OptionalField(() => NumberComparator) length?: NumberComparator | null;
}
