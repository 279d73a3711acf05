import {
  type DocumentNode,
  type FieldNode,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
} from 'graphql';
import { fragmentsOf } from './document.js';
import { overDocumentLimits } from './document-limits.js';
import { lruByText } from './lru.js';
import type { GraphqlRequest } from './read-request.js';

export interface Roots {
  /** Names of the root fields of the selected operation, in order, each once. */
  readonly methods: readonly string[];
  /** A query, not a mutation. */
  readonly isRead: boolean;
}

const NONE: Roots = { methods: [], isRead: false };

/** The name of a GraphQL request in journals and faults; empty when its document cannot be parsed. */
export class RootFields {
  private readonly known = lruByText<Roots>(1_000, 2_000_000);

  of(request: GraphqlRequest | undefined): Roots {
    if (!request) return NONE;
    const key = `${request.operationName ?? ''}\n${request.query}`;
    const known = this.known.get(key);
    if (known) return known;
    const roots = rootsOf(request);
    this.known.set(key, roots);
    return roots;
  }
}

function rootsOf({ query, operationName }: GraphqlRequest): Roots {
  let document: DocumentNode;
  try {
    if (overDocumentLimits(query)) return NONE;
    document = parse(query, { noLocation: true });
  } catch {
    return NONE;
  }
  const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const operation = operations.find(({ name }) => operationName === null || name?.value === operationName);
  if (!operation) return NONE;
  const methods = new Set(rootFieldsOf(document, operation).map(({ name }) => name.value));
  return { methods: [...methods], isRead: operation.operation === 'query' };
}

/** The root fields of an operation, in order; those of a fragment that is spread twice, once. */
export function rootFieldsOf(document: DocumentNode, { selectionSet }: OperationDefinitionNode): FieldNode[] {
  const fragments = fragmentsOf(document);
  const seen = new Set<string>();
  const fieldsOf = ({ selections }: SelectionSetNode): FieldNode[] =>
    selections.flatMap((selection) => {
      if (selection.kind === Kind.FIELD) return [selection];
      if (selection.kind === Kind.INLINE_FRAGMENT) return fieldsOf(selection.selectionSet);
      const { value } = selection.name;
      const fragment = seen.has(value) ? undefined : fragments.get(value);
      seen.add(value);
      return fragment ? fieldsOf(fragment.selectionSet) : [];
    });
  return fieldsOf(selectionSet);
}
