import { Kind, parse, type DocumentNode, type SelectionSetNode } from 'graphql';
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
  const methods = new Set<string>();
  const seen = new Set<string>();
  const fragments = fragmentsOf(document);
  const walk = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) methods.add(selection.name.value);
      else if (selection.kind === Kind.INLINE_FRAGMENT) walk(selection.selectionSet);
      else if (!seen.has(selection.name.value)) {
        seen.add(selection.name.value);
        const fragment = fragments.get(selection.name.value);
        if (fragment) walk(fragment.selectionSet);
      }
    }
  };
  walk(operation.selectionSet);
  return { methods: [...methods], isRead: operation.operation === 'query' };
}
