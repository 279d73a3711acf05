import { InputType } from '@nestjs/graphql';
import { OptionalField } from '../../graphql/fields.js';
import { Sort } from '../../graphql/sort.js';

@InputType()
export class UserDisplayNameSort extends Sort {}

@InputType()
export class UserNameSort extends Sort {}

/** One key an object (docs/reference/tracker.md#filters). */
@InputType()
export class UserSortInput {
  @OptionalField(() => UserDisplayNameSort) displayName?: UserDisplayNameSort | null;
  @OptionalField(() => UserNameSort) name?: UserNameSort | null;
}
