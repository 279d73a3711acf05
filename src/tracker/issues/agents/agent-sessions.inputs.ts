import { ArgsType, Field, Float, InputType, ObjectType } from '@nestjs/graphql';
import { OptionalField } from '../../graphql/fields.js';
import { CreateInput, NestedInputs, UpdateInput } from '../../graphql/inputs.js';
import {
  HttpUrl,
  IssueReference,
  JsonLimit,
  NewId,
  NullIsAbsent,
  OneOf,
  Reference,
  Text,
  UrlLength,
} from '../../graphql/rules.js';
import { JSONObject } from '../../graphql/scalars.js';
import { AgentActivitySignal } from './agent-content.js';

const JSON_MAX = 32 * 1024;

@CreateInput()
export class AgentSessionExternalUrlInput {
  @Field() @Text(255) label!: string;
  @Field() @HttpUrl() url!: string;
}

@CreateInput()
export class AgentSessionCreateOnIssue {
  @Field() @IssueReference() issueId!: string;
  @OptionalField(() => String) @UrlLength() externalLink?: string;
  @OptionalField(() => [AgentSessionExternalUrlInput])
  @NestedInputs(AgentSessionExternalUrlInput)
  externalUrls?: AgentSessionExternalUrlInput[];
}

@CreateInput()
export class AgentSessionCreateOnComment {
  @Field() @Reference() commentId!: string;
  @OptionalField(() => String) @UrlLength() externalLink?: string;
  @OptionalField(() => [AgentSessionExternalUrlInput])
  @NestedInputs(AgentSessionExternalUrlInput)
  externalUrls?: AgentSessionExternalUrlInput[];
}

@InputType({ isAbstract: true })
abstract class ExternalUrlChange {
  @OptionalField(() => String) @UrlLength() externalLink?: string | null;
  /** Replaces all; the two below are ignored beside it. */
  @OptionalField(() => [AgentSessionExternalUrlInput])
  @NestedInputs(AgentSessionExternalUrlInput)
  @NullIsAbsent()
  externalUrls?: AgentSessionExternalUrlInput[];
  @OptionalField(() => [AgentSessionExternalUrlInput])
  @NestedInputs(AgentSessionExternalUrlInput)
  @NullIsAbsent()
  addedExternalUrls?: AgentSessionExternalUrlInput[];
  @OptionalField(() => [String]) @NullIsAbsent() removedExternalUrls?: string[];
}

@UpdateInput()
export class AgentSessionUpdateExternalUrlInput extends ExternalUrlChange {}

@UpdateInput()
export class AgentSessionUpdateInput extends ExternalUrlChange {
  @OptionalField(() => JSONObject) @JsonLimit(JSON_MAX) plan?: object | null;
  @OptionalField(() => String) @Text(255) summary?: string | null;
}

@CreateInput()
export class AgentActivityCreateInput {
  @OptionalField(() => String) @NewId() id?: string;
  @Field() @Reference() agentSessionId!: string;
  @Field(() => JSONObject) content!: Record<string, unknown>;
  @OptionalField(() => Boolean) ephemeral?: boolean;
  @OptionalField(() => AgentActivitySignal) @OneOf(Object.values(AgentActivitySignal)) signal?: AgentActivitySignal;
  @OptionalField(() => JSONObject) @JsonLimit(JSON_MAX) signalMetadata?: Record<string, unknown>;
}

@CreateInput()
export class CandidateRepository {
  @Field() hostname!: string;
  @Field() repositoryFullName!: string;
}

@ArgsType()
export class RepositoryArgs {
  @OptionalField(() => String) agentSessionId?: string | null;
  @Field(() => [CandidateRepository]) candidateRepositories!: CandidateRepository[];
  @Field() issueId!: string;
}

@ObjectType()
export class RepositorySuggestion {
  @Field(() => Float) confidence!: number;
  @OptionalField(() => String) hostname?: string | null;
  @Field() repositoryFullName!: string;
}

@ObjectType()
export class RepositorySuggestionsPayload {
  @Field(() => [RepositorySuggestion]) suggestions!: RepositorySuggestion[];
}
