import { seenId, storedId } from '../../kernel/clock/request-sandbox.js';
import type { Type } from '@nestjs/common';
import { ArgsType, Field, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { OptionalField } from './fields.js';

export enum PaginationOrderBy {
  createdAt = 'createdAt',
  updatedAt = 'updatedAt',
}
registerEnumType(PaginationOrderBy, { name: 'PaginationOrderBy' });

@ObjectType()
export class PageInfo {
  @OptionalField(() => String) startCursor?: string | null;
  @OptionalField(() => String) endCursor?: string | null;
  @Field() hasNextPage!: boolean;
  @Field() hasPreviousPage!: boolean;
}

/**
 * The arguments of docs/reference/tracker.md#connections: those every connection takes. They arrive checked (`first`
 * and `last` 1 to 250, cursors readable); defaults are the reader's: 50 of `first`, or of `last` when only `before` is
 * given (docs/reference/tracker.md#connections).
 */
@ArgsType()
export class PageArgs {
  @OptionalField(() => Int) first?: number | null;
  @OptionalField(() => String) after?: string | null;
  @OptionalField(() => Int) last?: number | null;
  @OptionalField(() => String) before?: string | null;
  @OptionalField(() => Boolean) includeArchived?: boolean | null;
  @OptionalField(() => PaginationOrderBy) orderBy?: PaginationOrderBy | null;
}

export interface Edge<T> {
  node: T;
  cursor: string;
}

/** What a connection field resolves to; `nodes[i]` is `edges[i].node`. */
export interface Page<T> {
  nodes: T[];
  edges: Edge<T>[];
  pageInfo: PageInfo;
}

/** The type's name on the wire: its class name without the `Type` that keeps it apart from the row class. */
function wireName(type: Type<unknown>): string {
  return type.name.replace(/Type$/, '');
}

export function EdgeOf<T extends object>(node: Type<T>): Type<Edge<T>> {
  @ObjectType(`${wireName(node)}Edge`)
  class NodeEdge implements Edge<T> {
    @Field(() => node) node!: T;
    @Field() cursor!: string;
  }
  return NodeEdge;
}

/** `class IssueConnection extends ConnectionOf(IssueType)`: nodes, edges and pageInfo. Brings the edge type along. */
export function ConnectionOf<T extends object>(node: Type<T>) {
  const edge = EdgeOf(node);

  @ObjectType({ isAbstract: true })
  abstract class Connection implements Page<T> {
    @Field(() => [node]) nodes!: T[];
    @Field(() => [edge]) edges!: Edge<T>[];
    @Field(() => PageInfo) pageInfo!: PageInfo;
  }
  return Connection;
}

/** A position in an ordering: the ordering's values of a row, and its id. Dates are ISO strings. */
export interface Cursor {
  k: unknown[];
  id: string;
}

export function encodeCursor(cursor: Cursor): string {
  return Buffer.from(seenId(JSON.stringify({ k: cursor.k, id: cursor.id }))).toString('base64url');
}

/** Undefined for text that is not a cursor of ours. The values in `k` come from the caller: check them before use. */
export function decodeCursor(text: string): Cursor | undefined {
  try {
    const value = JSON.parse(storedId(Buffer.from(text, 'base64url').toString('utf8'))) as Partial<Cursor> | null;
    if (!Array.isArray(value?.k) || typeof value.id !== 'string') return undefined;
    return { k: value.k, id: value.id };
  } catch {
    return undefined;
  }
}
