import { typeNamed } from '../../graphql/relations.js';
import { Field, ID, ObjectType } from '@nestjs/graphql';
import { DateTime } from '../../graphql/scalars.js';
import { OptionalField } from '../../graphql/fields.js';
import { ConnectionOf } from '../../graphql/connections.js';
import { MutationPayload } from '../../graphql/payloads.js';
import { constantsOf } from '../../graphql/constants.js';
import { ActorBot, ExternalEntityInfo, SyncedExternalThread } from '../../graphql/references.types.js';

/** docs/reference/tracker.md#comment. It is on exactly one thing. */
@ObjectType('Comment')
export class CommentType {
  @Field(() => ID) id!: string;
  @Field(() => DateTime) createdAt!: Date;
  @Field(() => DateTime) updatedAt!: Date;
  @Field() body!: string;
  @OptionalField(() => String) issueId?: string | null;
  @OptionalField(() => String) projectId?: string | null;
  @OptionalField(() => String) documentContentId?: string | null;
  @OptionalField(() => String) projectUpdateId?: string | null;
  @OptionalField(() => String) initiativeId?: string | null;
  @OptionalField(() => String) initiativeUpdateId?: string | null;
  @OptionalField(() => String) parentId?: string | null;
  @OptionalField(() => String) quotedText?: string | null;
  @Field() url!: string;
  @OptionalField(() => DateTime) editedAt?: Date | null;
  @OptionalField(() => DateTime) resolvedAt?: Date | null;
  @OptionalField(() => String) resolvingCommentId?: string | null;
  /** The application that made it as itself. */
  @OptionalField(() => ActorBot) botActor?: ActorBot | null;

  // Always the same.
  @OptionalField(() => DateTime) readonly archivedAt: Date | null = null;
  @OptionalField(() => SyncedExternalThread) readonly externalThread: SyncedExternalThread | null = null;
  @OptionalField(() => typeNamed('ExternalUser')) readonly externalUser: null = null;
  @OptionalField(() => [ExternalEntityInfo]) readonly syncedWith: ExternalEntityInfo[] | null = null;
}

@ObjectType()
export class CommentConnection extends ConnectionOf(CommentType) {}

@ObjectType()
export class CommentPayload extends MutationPayload {
  @Field(() => CommentType) comment!: CommentType;
}

export const commentConstants = constantsOf(CommentType);
