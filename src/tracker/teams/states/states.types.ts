import { Field, Float, ID, ObjectType } from '@nestjs/graphql';
import { DateTime } from '../../graphql/scalars.js';
import { OptionalField } from '../../graphql/fields.js';
import { ConnectionOf } from '../../graphql/connections.js';
import { MutationPayload, ArchivePayloadOf } from '../../graphql/payloads.js';

/** docs/reference/tracker.md#workflowstate. */
@ObjectType('WorkflowState')
export class WorkflowStateType {
  @Field(() => ID) id!: string;
  @Field(() => DateTime) createdAt!: Date;
  @Field(() => DateTime) updatedAt!: Date;
  @OptionalField(() => DateTime) archivedAt?: Date | null;
  @Field() name!: string;
  /** A string on the wire, unlike a project status's. */
  @Field() type!: string;
  @Field() color!: string;
  /** Order of display within its type. */
  @Field(() => Float) position!: number;
  @OptionalField(() => String) description?: string | null;
}

@ObjectType()
export class WorkflowStateConnection extends ConnectionOf(WorkflowStateType) {}

@ObjectType()
export class WorkflowStatePayload extends MutationPayload {
  @Field(() => WorkflowStateType) workflowState!: WorkflowStateType;
}

@ObjectType()
export class WorkflowStateArchivePayload extends ArchivePayloadOf(WorkflowStateType) {}
