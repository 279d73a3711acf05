import { Field, Float, ID, ObjectType } from '@nestjs/graphql';
import { OptionalField } from '../../graphql/fields.js';
import { DateTime } from '../../graphql/scalars.js';
import { ReleaseStageType } from '../stages/release-stage.entity.js';

@ObjectType()
export class AccessKeyReleaseStage {
  @Field() name!: string;
  @Field(() => ReleaseStageType) type!: ReleaseStageType | `${ReleaseStageType}`;
}

/** What the key of a pipeline shows of a release. */
@ObjectType()
export class AccessKeyRelease {
  @Field(() => ID) id!: string;
  @OptionalField(() => DateTime) archivedAt?: Date | null;
  @OptionalField(() => String) commitSha?: string | null;
  @OptionalField(() => DateTime) completedAt?: Date | null;
  @Field(() => DateTime) createdAt!: Date;
  @Field() name!: string;
  @Field(() => AccessKeyReleaseStage) stage!: AccessKeyReleaseStage;
  @Field() url!: string;
  @OptionalField(() => String) version?: string | null;
}

@ObjectType()
export class AccessKeyReleasePipeline {
  @Field(() => ID) id!: string;
  @Field(() => [String]) includePathPatterns!: string[];
}

@ObjectType()
export class AccessKeyReleasePayload {
  @Field(() => AccessKeyRelease) release!: AccessKeyRelease;
  @Field() success!: boolean;
  @Field(() => Float) lastSyncId!: number;
}
