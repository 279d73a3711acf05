import { Field, ID, InputType, ObjectType, registerEnumType } from '@nestjs/graphql';
import { documents } from '../documents/document.entity.js';
import { OptionalField } from '../graphql/fields.js';
import { JSONObject, type JsonObject } from '../graphql/scalars.js';
import { SearchPayloadOf } from '../graphql/search-payloads.js';
import { initiatives } from '../initiatives/initiative.entity.js';
import { IssueFilter } from '../issues/issues.filters.js';
import { ProjectFilter } from '../projects/projects.filters.js';
import { ProjectType } from '../projects/projects.types.js';

/** What `searchDocuments` finds. */
@ObjectType('DocumentSearchResult')
export class DocumentSearchResultType extends documents.types.Type {
  @Field(() => JSONObject) readonly metadata: JsonObject = {};
}

/** What `searchProjects` finds. */
@ObjectType('ProjectSearchResult')
export class ProjectSearchResultType extends ProjectType {
  @Field(() => JSONObject) readonly metadata: JsonObject = {};
}

@ObjectType()
export class DocumentSearchPayload extends SearchPayloadOf(DocumentSearchResultType) {}

@ObjectType()
export class ProjectSearchPayload extends SearchPayloadOf(ProjectSearchResultType) {}

export enum SemanticSearchResultType {
  document = 'document',
  initiative = 'initiative',
  issue = 'issue',
  project = 'project',
}
registerEnumType(SemanticSearchResultType, { name: 'SemanticSearchResultType' });

/** One of what `semanticSearch` finds; the field of its type is set. */
@ObjectType('SemanticSearchResult')
export class SemanticSearchResult {
  @Field(() => ID) id!: string;
  @Field(() => SemanticSearchResultType) type!: SemanticSearchResultType;
}

@ObjectType()
export class SemanticSearchPayload {
  @Field() enabled!: boolean;
  @Field(() => [SemanticSearchResult]) results!: SemanticSearchResult[];
}

@InputType()
export class SemanticSearchFilters {
  @OptionalField(() => documents.types.Filter) documents?: object | null;
  @OptionalField(() => initiatives.types.Filter) initiatives?: object | null;
  @OptionalField(() => IssueFilter) issues?: IssueFilter | null;
  @OptionalField(() => ProjectFilter) projects?: ProjectFilter | null;
}
