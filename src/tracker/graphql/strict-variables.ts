import {
  type DocumentNode,
  type GraphQLSchema,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  ValidationContext,
  type VariableDefinitionNode,
} from 'graphql';

/**
 * The variables of a validated operation, typed as strictly as it uses them. A nullable variable with a default may
 * stand where null may not, and null is then refused by the field: as a failure of executing in graphql-js, not at all
 * in places by graphql-jit. With these definitions it is refused as a variable that does not fit
 * (docs/reference/tracker.md#errors row 7).
 */
export function strictVariables(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): readonly VariableDefinitionNode[] {
  const definitions = operation.variableDefinitions ?? [];
  const isLax = ({ defaultValue, type }: VariableDefinitionNode): boolean =>
    defaultValue !== undefined && type.kind !== Kind.NON_NULL_TYPE;
  if (!definitions.some(isLax)) return definitions;
  const context = new ValidationContext(schema, document, new TypeInfo(schema), () => undefined);
  const strict = new Set(
    context
      .getRecursiveVariableUsages(operation)
      .filter(({ type }) => isNonNullType(type))
      .map(({ node }) => node.name.value),
  );
  return definitions.map((definition) =>
    isLax(definition) && definition.type.kind !== Kind.NON_NULL_TYPE && strict.has(definition.variable.name.value)
      ? { ...definition, type: { kind: Kind.NON_NULL_TYPE, type: definition.type } }
      : definition,
  );
}
