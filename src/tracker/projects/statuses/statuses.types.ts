import { Field, Float, ID, ObjectType, registerEnumType } from '@nestjs/graphql';
import { ConnectionOf } from '../../graphql/connections.js';
import { constantsOf } from '../../graphql/constants.js';
import { OptionalField } from '../../graphql/fields.js';
import { DateTime } from '../../graphql/scalars.js';

/** `ProjectStatusType` on the wire; that name is the class of the status itself here. */
export enum ProjectStatusKind {
  backlog = 'backlog',
  planned = 'planned',
  started = 'started',
  paused = 'paused',
  completed = 'completed',
  canceled = 'canceled',
}
registerEnumType(ProjectStatusKind, { name: 'ProjectStatusType' });

/** docs/reference/tracker.md#organization: six of each organization, made with it, never changed. */
@ObjectType('ProjectStatus')
export class ProjectStatusType {
  @Field(() => ID) id!: string;
  @Field(() => DateTime) createdAt!: Date;
  @Field(() => DateTime) updatedAt!: Date;
  @Field() name!: string;
  @Field(() => ProjectStatusKind) type!: ProjectStatusKind;
  @Field() color!: string;
  @Field(() => Float) position!: number;

  // Always the same.
  @OptionalField(() => DateTime) readonly archivedAt: Date | null = null;
  @OptionalField(() => String) readonly description: string | null = null;
  @Field() readonly indefinite: boolean = false;
}

@ObjectType()
export class ProjectStatusConnection extends ConnectionOf(ProjectStatusType) {}

export const projectStatusConstants = constantsOf(ProjectStatusType);
