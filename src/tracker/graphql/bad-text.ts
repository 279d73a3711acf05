import { type DocumentNode, GraphQLError, Kind, type OperationDefinitionNode, visit } from 'graphql';
import { invalidArgument } from '../values/errors.js';
import { cleanText } from '../../kernel/text/clean.js';

/**
 * The refusal (docs/reference/tracker.md#errors row 9) of an operation in which some text contains NUL, which
 * PostgreSQL does not store, or an unpaired surrogate, which has no UTF-8 form; else undefined. Checked before anything
 * is resolved, so it covers every field.
 */
export function badText(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  source: string,
  variables: Readonly<Record<string, unknown>>,
): GraphQLError | undefined {
  const found = inVariables(variables) ?? inLiterals(document, source);
  if (found === undefined) return undefined;
  const first = operation.selectionSet.selections[0];
  const path = first?.kind === Kind.FIELD ? [first.alias?.value ?? first.name.value] : undefined;
  const refusal = invalidArgument(found, 'isText', `${found} must not contain NUL or unpaired surrogates`);
  return new GraphQLError(refusal.message, { ...(path && { path }), originalError: refusal });
}

const isBad = (text: string): boolean => cleanText(text) !== text;

/** The key of a bad text. Without recursion: a request may nest deeper than the stack. */
function inVariables(variables: object): string | undefined {
  const left: { key: string; value: unknown }[] = [{ key: 'variables', value: variables }];
  for (let next = left.pop(); next; next = left.pop()) {
    const { key, value } = next;
    if (typeof value === 'string' && isBad(value)) return key;
    if (typeof value !== 'object' || value === null) continue;
    const isList = Array.isArray(value);
    for (const [inner, each] of Object.entries(value)) left.push({ key: isList ? key : inner, value: each });
  }
  return undefined;
}

function inLiterals(document: DocumentNode, source: string): string | undefined {
  // an escape is the only other way to write one
  if (!source.includes('\\u') && !isBad(source)) return undefined;
  let found: string | undefined;
  let argument = '';
  visit(document, {
    Argument: (node) => void (argument = node.name.value),
    ObjectField: (node) => void (argument = node.name.value),
    StringValue: (node) => void (isBad(node.value) && (found ??= argument)),
  });
  return found;
}
