import { Field, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { DateTime } from '../../graphql/scalars.js';
import { OptionalField } from '../../graphql/fields.js';
import { ConnectionOf } from '../../graphql/connections.js';
import { MutationPayload } from '../../graphql/payloads.js';
import { constantsOf } from '../../graphql/constants.js';

export enum UserRoleType {
  admin = 'admin',
  app = 'app',
  guest = 'guest',
  owner = 'owner',
  user = 'user',
}
registerEnumType(UserRoleType, { name: 'UserRoleType' });

/** docs/reference/tracker.md#user. */
@ObjectType('User')
export class UserType {
  @Field(() => ID) id!: string;
  @Field(() => DateTime) createdAt!: Date;
  @Field(() => DateTime) updatedAt!: Date;
  @Field() name!: string;
  @Field() displayName!: string;
  @Field() email!: string;
  @Field() active!: boolean;
  @Field() admin!: boolean;
  @Field() owner!: boolean;
  @OptionalField(() => String) title?: string | null;
  @OptionalField(() => String) description?: string | null;
  @OptionalField(() => String) avatarUrl?: string | null;
  @Field() avatarBackgroundColor!: string;
  @Field() initials!: string;
  @OptionalField(() => String) timezone?: string | null;
  @OptionalField(() => String) statusEmoji?: string | null;
  @OptionalField(() => String) statusLabel?: string | null;
  @OptionalField(() => DateTime) statusUntilAt?: Date | null;
  @OptionalField(() => String) disableReason?: string | null;
  /** Depends on the caller: made on read. */
  @Field() isMe!: boolean;
  @Field() app!: boolean;
  /** A person who sees the teams of which they are a member, and no others. */
  @Field() guest!: boolean;
  @Field() canAccessAnyPublicTeam!: boolean;
  @Field() isAssignable!: boolean;
  @Field() isMentionable!: boolean;
  @OptionalField(() => DateTime) lastSeen?: Date | null;
  @Field(() => Int) createdIssueCount!: number;
  @Field() url!: string;

  // Always the same.
  @OptionalField(() => DateTime) readonly archivedAt: Date | null = null;
  @OptionalField(() => String) readonly calendarHash: string | null = null;
  @OptionalField(() => String) readonly gitHubUserId: string | null = null;
  @Field() readonly inviteHash: string = '';
  @Field() supportsAgentSessions!: boolean;
}

@ObjectType()
export class UserConnection extends ConnectionOf(UserType) {}

@ObjectType()
export class UserPayload extends MutationPayload {
  @OptionalField(() => UserType) user?: UserType | null;
}

@ObjectType()
export class UserAdminPayload extends MutationPayload {
  @OptionalField(() => UserType) user?: UserType | null;
}

export const userConstants = constantsOf(UserType);
