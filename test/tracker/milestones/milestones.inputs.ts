import { Field, InputType } from '@nestjs/graphql';
import { OptionalField } from '../../../src/tracker/graphql/fields.js';
import { StringComparator } from '../../../src/tracker/graphql/filters.js';
import { CreateInput } from '../../../src/tracker/graphql/inputs.js';
import { Reference, Text } from '../../../src/tracker/graphql/rules.js';

@CreateInput()
export class MilestoneCreateInput {
  @Field() @Reference() teamId!: string;
  @Field() @Text() name!: string;
}

@InputType()
export class MilestoneFilter {
  @OptionalField(() => [MilestoneFilter]) and?: MilestoneFilter[] | null;
  @OptionalField(() => [MilestoneFilter]) or?: MilestoneFilter[] | null;
  @OptionalField(() => StringComparator) name?: StringComparator | null;
}
