import { Field, ID, ObjectType } from '@nestjs/graphql';
import { ConnectionOf } from '../../../src/tracker/graphql/connections.js';
import { MutationPayload } from '../../../src/tracker/graphql/payloads.js';
import { OptionalField } from '../../../src/tracker/graphql/fields.js';
import { DateTime } from '../../../src/tracker/graphql/scalars.js';

@ObjectType('Milestone')
export class MilestoneType {
  @Field(() => ID) id!: string;
  @Field(() => DateTime) createdAt!: Date;
  @Field(() => DateTime) updatedAt!: Date;
  @Field() name!: string;
}

@ObjectType()
export class MilestoneConnection extends ConnectionOf(MilestoneType) {}

@ObjectType()
export class MilestonePayload extends MutationPayload {
  @OptionalField(() => MilestoneType) milestone?: MilestoneType | null;
}
