import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  valueFromASTUntyped,
} from 'graphql';

export type Variables = Readonly<Record<string, unknown>>;

/** The operation of that name; without a name the first one. */
export function operationOf(document: DocumentNode, name?: string | null): OperationDefinitionNode | undefined {
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  return name ? operations.find((operation) => operation.name?.value === name) : operations[0];
}

/** A document's fragments by name. */
export function fragmentsOf(document: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  const fragments = document.definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
  return new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
}

/** The variables of an operation as they were sent, and the defaults of those that were not. */
export function withDefaults({ variableDefinitions = [] }: OperationDefinitionNode, sent: Variables): Variables {
  const defaults = variableDefinitions.flatMap(({ variable: { name }, defaultValue }) =>
    defaultValue ? [[name.value, valueFromASTUntyped(defaultValue)]] : [],
  );
  return { ...Object.fromEntries(defaults), ...sent };
}

/** Whether `@skip` or `@include` leaves a selection out. */
export function isLeftOut({ directives = [] }: SelectionNode, variables: Variables): boolean {
  return directives.some(({ name, arguments: [condition] = [] }) => {
    const value: unknown = condition && valueFromASTUntyped(condition.value, { ...variables });
    return (name.value === 'skip' && value === true) || (name.value === 'include' && value === false);
  });
}
