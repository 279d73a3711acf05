import { type DocumentNode, type FieldNode, GraphQLError, type OperationDefinitionNode } from 'graphql';
import type { Viewer } from '../access/viewer.js';
import { forbidden } from '../values/errors.js';
import { rootFieldsOf } from './root-fields.js';

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
  const closed = fieldsOf(document, operation).find(({ name }) =>
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
const known = new WeakMap<OperationDefinitionNode, readonly FieldNode[]>();

function fieldsOf(document: DocumentNode, operation: OperationDefinitionNode): readonly FieldNode[] {
  let fields = known.get(operation);
  if (!fields) known.set(operation, (fields = rootFieldsOf(document, operation)));
  return fields;
}
