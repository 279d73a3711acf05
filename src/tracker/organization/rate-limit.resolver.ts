import { Field, Float, ObjectType, Query, Resolver } from '@nestjs/graphql';
import type { Viewer } from '../access/viewer.js';
import type { Allowance } from '../graphql/budgets.js';
import { OptionalField } from '../graphql/fields.js';
import { AllowancesOf, ViewerOf } from '../graphql/viewer-of.js';

@ObjectType()
class RateLimitResultPayload implements Allowance {
  @Field(() => String) type!: Allowance['type'];
  @Field(() => Float) requestedAmount!: number;
  @Field(() => Float) allowedAmount!: number;
  @Field(() => Float) remainingAmount!: number;
  @Field(() => Float) period!: number;
  @Field(() => Float) reset!: number;
}

@ObjectType()
class RateLimitPayload {
  @Field() kind!: string;
  @OptionalField(() => String) identifier?: string | null;
  @Field(() => [RateLimitResultPayload]) limits!: readonly RateLimitResultPayload[];
}

/** What is left of the caller's budgets (docs/reference/limits.md#graphql-budgets). */
@Resolver(() => RateLimitPayload)
export class RateLimitResolver {
  @Query(() => RateLimitPayload)
  rateLimitStatus(@ViewerOf() viewer: Viewer, @AllowancesOf() limits: readonly Allowance[]): RateLimitPayload {
    return { ...callerOf(viewer), limits };
  }
}

function callerOf({ oauth, apiKeyId, userId }: Viewer): { kind: string; identifier: string } {
  if (oauth) return { kind: 'oauthClient', identifier: oauth.applicationId };
  return apiKeyId === null ? { kind: 'user', identifier: userId } : { kind: 'apiKey', identifier: apiKeyId };
}
