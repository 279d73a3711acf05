import type { Type } from '@nestjs/common';
import { ArgsType, Field, Float, ObjectType } from '@nestjs/graphql';
import type { SearchPage } from '../query/search.js';
import { ConnectionOf } from './connections.js';
import { OptionalField } from './fields.js';
import { derived, type Relations, relationsOf } from './relations.js';

/** What searches for a term take besides the arguments of connections. */
@ArgsType()
export class SearchArgs {
  @Field() term!: string;
  @OptionalField(() => Boolean) includeComments?: boolean | null;
  @OptionalField(() => String) teamId?: string | null;
}

/** Nothing is kept apart as an archive here. */
@ObjectType()
export class ArchiveResponse {
  @Field() archive!: string;
  @Field(() => Float) databaseVersion!: number;
  @Field(() => [String]) includesDependencies!: string[];
  @Field(() => Float) totalCount!: number;
}

/** `class IssueSearchPayload extends SearchPayloadOf(IssueSearchResultType)`. */
export function SearchPayloadOf<T extends object>(result: Type<T>) {
  @ObjectType({ isAbstract: true })
  abstract class SearchPayload extends ConnectionOf(result) {
    @Field(() => Float) totalCount!: number;
    @Field(() => ArchiveResponse) readonly archivePayload: ArchiveResponse = {
      archive: '',
      totalCount: 0,
      databaseVersion: 1,
      includesDependencies: [],
    };
  }
  return SearchPayload;
}

/** The fields of such a payload, read from a SearchPage. */
export const searchPayloadRelations = (type: () => Type<unknown>): Relations =>
  relationsOf<SearchPage>(type, {
    nodes: derived(({ found }) => found.nodes),
    edges: derived(({ found }) => found.edges),
    pageInfo: derived(({ found }) => found.pageInfo),
    totalCount: derived(({ count }) => count()),
  });
