import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  getNamedType,
  GraphQLError,
  type GraphQLNamedType,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql';
import { allowsOne } from '../access/oauth-scopes.js';
import type { Viewer } from '../access/viewer.js';
import { scopeMissing } from '../values/errors.js';
import { fragmentsOf, isLeftOut, type Variables, withDefaults } from './document.js';

/** Root fields that need `admin`, beside the caller's own role. */
const FOR_ADMINS: ReadonlySet<string> = new Set([
  'webhook',
  'webhooks',
  'organizationUpdate',
  'userSuspend',
  'userUnsuspend',
]);
const CREATIONS: Readonly<Record<string, readonly string[]>> = {
  issueCreate: ['write', 'issues:create'],
  issueBatchCreate: ['write', 'issues:create'],
  commentCreate: ['write', 'comments:create'],
};

/**
 * The first field of an operation that the caller's OAuth token may not use (docs/reference/tracker-oauth.md#scopes);
 * undefined when there is none, and for all other credentials. A field that a directive leaves out needs no scope.
 */
export function scopeFault(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  sent: Variables,
  viewer: Viewer,
): GraphQLError | undefined {
  const { oauth } = viewer;
  if (!oauth || allowsOne(oauth.scopes, ['admin'])) return undefined;
  const isQuery = operation.operation === 'query';
  const root = isQuery ? schema.getQueryType() : schema.getMutationType();
  if (!root) return undefined;
  const fragments = fragmentsOf(document);
  const variables = withDefaults(operation, sent);
  const seen = new Set<FragmentDefinitionNode>();

  const walk = (
    { selections }: SelectionSetNode,
    type: GraphQLNamedType,
    path: readonly string[],
  ): GraphQLError | undefined => {
    for (const selection of selections) {
      if (isLeftOut(selection, variables)) continue;
      let fault: GraphQLError | undefined;
      if (selection.kind === Kind.FIELD) fault = ofField(selection, type, path);
      else if (selection.kind === Kind.INLINE_FRAGMENT)
        fault = walk(selection.selectionSet, named(schema, selection.typeCondition?.name.value, type), path);
      else {
        const fragment = fragments.get(selection.name.value);
        // what is fine in one place is so in all others: each is looked through once
        if (fragment && !seen.has(fragment)) {
          seen.add(fragment);
          fault = walk(fragment.selectionSet, named(schema, fragment.typeCondition.name.value, type), path);
        }
      }
      if (fault) return fault;
    }
    return undefined;
  };

  const ofField = (field: FieldNode, type: GraphQLNamedType, path: readonly string[]): GraphQLError | undefined => {
    const name = field.name.value;
    const at = [...path, field.alias?.value ?? name];
    const wanted =
      type === root ? scopesOf(isQuery, field, variables, viewer) : isHooksOfTeam(type, name) ? ['admin'] : [];
    if (wanted.length > 0 && !allowsOne(oauth.scopes, wanted)) return fault(field, at, wanted[0] as string);
    const next = 'getFields' in type ? type.getFields()[name] : undefined;
    return field.selectionSet && next ? walk(field.selectionSet, getNamedType(next.type), at) : undefined;
  };

  return walk(operation.selectionSet, root, []);
}

const fault = (field: FieldNode, path: readonly string[], scope: string): GraphQLError =>
  new GraphQLError(`Invalid scope: \`${scope}\` required`, {
    nodes: [field],
    path: [...path],
    originalError: scopeMissing(scope),
  });

const isHooksOfTeam = ({ name }: GraphQLNamedType, field: string): boolean => name === 'Team' && field === 'webhooks';

/** The scopes of which a root field needs one; none: any token may use it. */
function scopesOf(isQuery: boolean, field: FieldNode, variables: Variables, { userId }: Viewer): readonly string[] {
  const name = field.name.value;
  if (name.startsWith('__')) return [];
  if (FOR_ADMINS.has(name)) return ['admin'];
  if (isQuery) return ['read'];
  if (name.startsWith('webhook')) return ['admin'];
  if (name === 'userUpdate') return isOfSelf(field, variables, userId) ? ['write'] : ['admin'];
  return CREATIONS[name] ?? ['write'];
}

function isOfSelf({ arguments: given = [] }: FieldNode, variables: Variables, userId: string): boolean {
  const argument = given.find(({ name }) => name.value === 'id');
  const id = argument && valueFromASTUntyped(argument.value, { ...variables });
  return id === 'me' || (typeof id === 'string' && id.toLowerCase() === userId);
}

const named = (schema: GraphQLSchema, name: string | undefined, otherwise: GraphQLNamedType): GraphQLNamedType =>
  (name === undefined ? undefined : schema.getType(name)) ?? otherwise;
