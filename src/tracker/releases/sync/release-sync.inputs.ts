import { Field, InputType, Int } from '@nestjs/graphql';
import { OptionalField } from '../../graphql/fields.js';
import { CreateInput, NestedInputs } from '../../graphql/inputs.js';
import { AtLeast, Elements, HttpUrl, LongText, Reference, Text } from '../../graphql/rules.js';
import { JSONObject, type JsonObject } from '../../graphql/scalars.js';

const TEXT_MAX = 255;
const LIST_MAX = 250;
const some = () => Elements(0, LIST_MAX);

@CreateInput()
export class ReleaseDocumentInput {
  @Field() @Text(TEXT_MAX) title!: string;
  @Field() @LongText() content!: string;
}

@CreateInput()
export class ReleaseLinkInput {
  /** Its url, if it is not given. */
  @OptionalField(() => String) @Text(TEXT_MAX) label?: string;
  @Field() @HttpUrl() url!: string;
}

@CreateInput()
export class ReleaseNoteInput {
  @OptionalField(() => String) @Text(TEXT_MAX) title?: string;
  @Field() @LongText() content!: string;
}

@CreateInput()
export class IssueReferenceInput {
  @Field() @Text(TEXT_MAX) identifier!: string;
  @Field() @Text(TEXT_MAX) commitSha!: string;
}

@CreateInput()
export class PullRequestReferenceInput {
  @Field() @Text(TEXT_MAX) repositoryOwner!: string;
  @Field() @Text(TEXT_MAX) repositoryName!: string;
  @Field(() => Int) @AtLeast(1) number!: number;
}

/** Accepted and ignored. */
@CreateInput()
export class RepositoryDataInput {
  @Field() name!: string;
  @Field() owner!: string;
  @Field() provider!: string;
  @Field() url!: string;
}

/** Accepted and ignored. */
@CreateInput()
export class ReleaseDebugSinkInput {
  @OptionalField(() => [String]) includePaths?: string[];
  @OptionalField(() => [String]) includeSubjects?: string[];
  @Field(() => [String]) inspectedShas!: string[];
  @OptionalField(() => String) issuePattern?: string;
  @Field(() => JSONObject) issues!: JsonObject;
  @Field(() => [JSONObject]) pullRequests!: JsonObject[];
  @OptionalField(() => JSONObject) revertedIssues?: JsonObject;
}

/** What each of these inputs may say of a release. */
@InputType({ isAbstract: true })
abstract class ReleaseTexts {
  @OptionalField(() => String) @Text() name?: string;
  @OptionalField(() => String) @LongText() description?: string;
  @OptionalField(() => String) @Text(TEXT_MAX) version?: string;
  @OptionalField(() => [ReleaseDocumentInput])
  @NestedInputs(ReleaseDocumentInput)
  @some()
  documents?: ReleaseDocumentInput[];
  @OptionalField(() => [ReleaseLinkInput]) @NestedInputs(ReleaseLinkInput) @some() links?: ReleaseLinkInput[];
  @OptionalField(() => ReleaseNoteInput) @NestedInputs(ReleaseNoteInput) releaseNotes?: ReleaseNoteInput;
}

/** docs/reference/tracker.md#releasesync. */
@CreateInput()
export class ReleaseSyncInputBase extends ReleaseTexts {
  @Field() @Text(TEXT_MAX) commitSha!: string;
  /** A release that is there keeps its own. */
  @OptionalField(() => Boolean) preserveStoredCommitSha?: boolean;
  @OptionalField(() => [IssueReferenceInput])
  @NestedInputs(IssueReferenceInput)
  @some()
  issueReferences?: IssueReferenceInput[];
  @OptionalField(() => [IssueReferenceInput])
  @NestedInputs(IssueReferenceInput)
  @some()
  revertedIssueReferences?: IssueReferenceInput[];
  @OptionalField(() => [PullRequestReferenceInput])
  @NestedInputs(PullRequestReferenceInput)
  @some()
  pullRequestReferences?: PullRequestReferenceInput[];
  @OptionalField(() => ReleaseDebugSinkInput) debugSink?: ReleaseDebugSinkInput;
  @OptionalField(() => RepositoryDataInput) repository?: RepositoryDataInput;
}

@CreateInput()
export class ReleaseSyncInput extends ReleaseSyncInputBase {
  @Field() @Reference() pipelineId!: string;
}

/** docs/reference/tracker.md#releasesync. */
@CreateInput()
export class ReleaseCompleteInputBase extends ReleaseTexts {
  @OptionalField(() => String) @Text(TEXT_MAX) commitSha?: string;
}

@CreateInput()
export class ReleaseCompleteInput extends ReleaseCompleteInputBase {
  @Field() @Reference() pipelineId!: string;
}

/** docs/reference/tracker.md#releasesync. */
@CreateInput()
export class ReleaseUpdateByPipelineInputBase extends ReleaseTexts {
  /** By its name, ignoring case, `-` and `_` as blanks. */
  @OptionalField(() => String) @Text(TEXT_MAX) stage?: string;
}

@CreateInput()
export class ReleaseUpdateByPipelineInput extends ReleaseUpdateByPipelineInputBase {
  @Field() @Reference() pipelineId!: string;
}
