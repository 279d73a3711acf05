import type { Type } from '@nestjs/common';
import { Field, Float, ObjectType } from '@nestjs/graphql';
import { OptionalField } from './fields.js';

/**
 * The fields of every mutation's answer. Failure is an error, so `success` is always true; `lastSyncId`:
 * docs/reference/tracker.md#lastsyncid.
 */
@ObjectType({ isAbstract: true })
export abstract class MutationPayload {
  @Field() success!: boolean;
  @Field(() => Float) lastSyncId!: number;
}

@ObjectType()
export class DeletePayload extends MutationPayload {
  @Field() entityId!: string;
}

/** `class IssueArchivePayload extends ArchivePayloadOf(IssueType)`. `entity` is null when the row is gone for good. */
export function ArchivePayloadOf<T extends object>(entity: Type<T>) {
  @ObjectType({ isAbstract: true })
  abstract class ArchivePayload extends MutationPayload {
    @OptionalField(() => entity) entity?: T | null;
  }
  return ArchivePayload;
}
