import { Field, ID, ObjectType } from '@nestjs/graphql';
import { DateTime } from '../../graphql/scalars.js';
import { OptionalField } from '../../graphql/fields.js';
import { ConnectionOf } from '../../graphql/connections.js';
import { MutationPayload } from '../../graphql/payloads.js';
import { LabelGroupType } from '../../labels/label-group.js';

/** docs/reference/tracker.md#issuelabel. */
@ObjectType('IssueLabel')
export class IssueLabelType {
  @Field(() => ID) id!: string;
  @Field(() => DateTime) createdAt!: Date;
  @Field(() => DateTime) updatedAt!: Date;
  @OptionalField(() => DateTime) archivedAt?: Date | null;
  @Field() name!: string;
  @Field() color!: string;
  @OptionalField(() => String) description?: string | null;
  @Field() isGroup!: boolean;
  /** `singleSelect` when it is a group. */
  @OptionalField(() => LabelGroupType) groupType?: LabelGroupType | null;
  @OptionalField(() => DateTime) lastAppliedAt?: Date | null;
}

@ObjectType()
export class IssueLabelConnection extends ConnectionOf(IssueLabelType) {}

@ObjectType()
export class IssueLabelPayload extends MutationPayload {
  @Field(() => IssueLabelType) issueLabel!: IssueLabelType;
}
