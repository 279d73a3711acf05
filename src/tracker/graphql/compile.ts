import {
  type DocumentNode,
  type ExecutionResult,
  getVariableValues,
  type GraphQLError,
  GraphQLScalarType,
  type GraphQLSchema,
  Kind,
  visit,
} from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import { operationOf } from './document.js';
import { strictVariables } from './strict-variables.js';

/** An operation compiled to code, which takes some 0.5–2 ms: compile when a document is repeated, and keep it. */
export interface CompiledOperation {
  /**
   * The variables as resolvers see them, or the errors of docs/reference/tracker.md#errors row 7, worded by
   * graphql-js.
   */
  coerce(variables: Readonly<Record<string, unknown>>): {
    errors?: readonly GraphQLError[];
    coerced?: Record<string, unknown>;
  };
  /** Takes what `coerce` gave. */
  execute(context: unknown, coerced: Record<string, unknown>): Promise<ExecutionResult>;
}

/** A scalar for values that are coerced already, used in compiled documents; it is not part of the schema. */
const Coerced = new GraphQLScalarType({ name: '__Coerced' });

/**
 * Compiles one operation of a validated document, or gives undefined when it is to be executed by graphql-js.
 *
 * graphql-jit unrolls the input types of variables, and for ever where they refer to themselves, as all filters do
 * (its issue 81). So variables are coerced by graphql-js, with its messages, and the compiled document takes them as
 * they are. Literals are resolved at compile time, which would stop the clock for durations: such documents are not
 * compiled.
 */
export function compileOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName?: string | null,
): CompiledOperation | undefined {
  const operation = operationOf(document, operationName);
  if (!operation || hasLiteralDuration(document)) return undefined;
  const definitions = strictVariables(schema, document, operation);
  const compiled = compileQuery(acceptingCoerced(schema), withCoercedVariables(document), operationName ?? undefined);
  if (!isCompiledQuery(compiled)) return undefined;
  return {
    coerce: (variables) => getVariableValues(schema, definitions, variables, { maxErrors: 50 }),
    execute: async (context, coerced) => (await compiled.query(undefined, context, coerced)) as ExecutionResult,
  };
}

function hasLiteralDuration(document: DocumentNode): boolean {
  let found = false;
  visit(document, {
    StringValue(node) {
      found ||= /^[+-]?P[\dT]/.test(node.value);
    },
  });
  return found;
}

/** The same schema, except that it knows `Coerced` by name; introspection does not see it. */
function acceptingCoerced(schema: GraphQLSchema): GraphQLSchema {
  return Object.create(schema, {
    getType: { value: (name: string) => (name === Coerced.name ? Coerced : schema.getType(name)) },
  }) as GraphQLSchema;
}

function withCoercedVariables(document: DocumentNode): DocumentNode {
  return visit(document, {
    VariableDefinition: (node) => ({
      ...node,
      type: { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: Coerced.name } },
      defaultValue: undefined,
    }),
  });
}
