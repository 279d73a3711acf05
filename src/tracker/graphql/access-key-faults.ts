import {
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import type { Viewer } from '../access/viewer.js';
import { forbidden } from '../values/errors.js';
import { fragmentsOf } from './document.js';

/** What the keys of release pipelines open, and nobody else does (docs/reference/tracker.md#release-access-keys). */
const BY_ACCESS_KEY: ReadonlySet<string> = new Set([
  'latestReleaseByAccessKey',
  'recentReleasesByAccessKey',
  'releasePipelineByAccessKey',
  'releaseCompleteByAccessKey',
  'releaseSyncByAccessKey',
  'releaseUpdateByPipelineByAccessKey',
]);

/** The first root field of an operation that the caller's kind of credential does not open. */
export function accessKeyFault(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  { releaseKey }: Pick<Viewer, 'releaseKey'>,
): GraphQLError | undefined {
  const closed = rootFieldsOf(document, operation).find(({ name }) =>
    releaseKey ? name.value !== '__typename' && !BY_ACCESS_KEY.has(name.value) : BY_ACCESS_KEY.has(name.value),
  );
  if (!closed) return undefined;
  const presentable = releaseKey
    ? 'The access key of a release pipeline opens the fields for access keys alone.'
    : 'You need the access key of a release pipeline to access this operation.';
  return new GraphQLError('Forbidden', {
    nodes: [closed],
    path: [closed.alias?.value ?? closed.name.value],
    originalError: forbidden(presentable),
  });
}

/** Those of parsed documents, which are the same object in each request. */
const rootFields = new WeakMap<OperationDefinitionNode, readonly FieldNode[]>();

function rootFieldsOf(document: DocumentNode, operation: OperationDefinitionNode): readonly FieldNode[] {
  let fields = rootFields.get(operation);
  if (!fields) rootFields.set(operation, (fields = findRootFields(document, operation)));
  return fields;
}

function findRootFields(document: DocumentNode, { selectionSet }: OperationDefinitionNode): FieldNode[] {
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
