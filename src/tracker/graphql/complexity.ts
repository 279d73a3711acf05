import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  getNamedType,
  getNullableType,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isCompositeType,
  isListType,
  isObjectType,
  isUnionType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql';
import { fragmentsOf, operationOf } from './document.js';
import { filterPrice } from './filter-price.js';

/*
 * Points of docs/reference/limits.md#complexity, from the selection set and the variables alone. All figures here are
 * tenths of a point: a scalar is 1, an object 10 and its children.
 */

const SCALAR = 1;
const OBJECT = 10;
const DEFAULT_PAGE = 50;
/** `__schema` and `__type`, each with all below it: an IDE's one document passes, eleven of them do not. */
const INTROSPECTION = 10_000;

/** Connections priced as plain objects; the connections nested in them are multiplied all the same. */
const CHEAP_CONNECTIONS = new Set(['Query.issues', 'Issue.labels']);

const INTROSPECTED = new Set(['__schema', '__type']);

type Variables = Readonly<Record<string, unknown>>;

/**
 * What a selection costs: the part that the connection around it multiplies, and the part of it that stands in nested
 * connections, which alone is multiplied where the connection around it is priced as a plain object.
 */
interface Cost {
  plain: number;
  nested: number;
}

/**
 * The cost in tenths of a point; `Math.ceil(tenths / 10)` is what the header shows and the budget is charged. The
 * document is validated before (an unknown field costs nothing here). Each fragment is priced once, so the time is linear
 * in the document however fragments nest. A figure beyond 2^53 is not exact, but by then far over any limit.
 */
export function complexityOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName?: string | null,
  variables: Variables = {},
): number {
  const operation = operationOf(document, operationName);
  const root = operation && schema.getRootType(operation.operation);
  if (!root) return 0;
  const { plain, nested } = new Pricer(schema, document, operation, variables).selection(operation.selectionSet, root);
  return plain + nested;
}

/** Whole points, rounded up, of a cost in tenths. */
export function wholePoints(tenths: number): number {
  return Math.ceil(tenths / 10);
}

class Pricer {
  private readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** By name: a fragment names its own type, and the variables are the same wherever it is spread. */
  private readonly prices = new Map<string, Cost>();
  private readonly defaults: ReadonlyMap<string, ValueNode>;

  constructor(
    private readonly schema: GraphQLSchema,
    document: DocumentNode,
    operation: OperationDefinitionNode,
    private readonly variables: Variables,
  ) {
    this.fragments = fragmentsOf(document);
    this.defaults = new Map(
      (operation.variableDefinitions ?? []).flatMap(({ variable, defaultValue }) =>
        defaultValue ? [[variable.name.value, defaultValue] as const] : [],
      ),
    );
  }

  selection(set: SelectionSetNode, type: GraphQLCompositeType): Cost {
    const total: Cost = { plain: 0, nested: 0 };
    for (const node of set.selections) {
      if (node.kind === Kind.FIELD) add(total, this.field(node, type));
      else if (node.kind === Kind.FRAGMENT_SPREAD) add(total, this.fragment(node.name.value));
      else add(total, this.selection(node.selectionSet, this.condition(node.typeCondition?.name.value, type)));
    }
    return total;
  }

  private fragment(name: string): Cost {
    const known = this.prices.get(name);
    if (known) return known;
    const definition = this.fragments.get(name);
    // A fragment within itself is refused by validation; here it must only not run for ever.
    this.prices.set(name, { plain: 0, nested: 0 });
    const type = definition && this.schema.getType(definition.typeCondition.name.value);
    const cost = definition && isCompositeType(type) ? this.selection(definition.selectionSet, type) : free();
    this.prices.set(name, cost);
    return cost;
  }

  private condition(name: string | undefined, around: GraphQLCompositeType): GraphQLCompositeType {
    const type = name === undefined ? around : this.schema.getType(name);
    return isCompositeType(type) ? type : around;
  }

  private field(node: FieldNode, parent: GraphQLCompositeType): Cost {
    if (INTROSPECTED.has(node.name.value)) return { plain: INTROSPECTION, nested: 0 };
    const field = fieldOf(parent, node.name.value);
    if (!field) return free();
    const filter = this.filter(node, field);
    const cost = this.unfiltered(node, field, parent);
    return { plain: filter + cost.plain, nested: cost.nested };
  }

  private filter(node: FieldNode, field: GraphQLField<unknown, unknown>): number {
    const given = node.arguments?.find(({ name }) => name.value === 'filter')?.value;
    const argument = field.args.find(({ name }) => name === 'filter');
    return given && argument ? filterPrice(this.valueOf(given), argument.type) : 0;
  }

  private unfiltered(node: FieldNode, field: GraphQLField<unknown, unknown>, parent: GraphQLCompositeType): Cost {
    const type = getNamedType(field.type);
    if (!isCompositeType(type)) return { plain: SCALAR, nested: 0 };
    const children = node.selectionSet ? this.selection(node.selectionSet, type) : free();
    if (!isConnection(field, type)) return { plain: OBJECT + children.plain, nested: children.nested };
    const size = this.pageSize(node);
    if (CHEAP_CONNECTIONS.has(`${parent.name}.${field.name}`)) {
      return { plain: OBJECT + children.plain, nested: size * children.nested };
    }
    return { plain: 0, nested: size * (children.plain + children.nested) };
  }

  /** A value as the operation gives it, not yet of its type: variables stand for what was sent, else their defaults. */
  private valueOf(value: ValueNode): unknown {
    const variables = new Proxy(this.variables, {
      get: (given, name: string) => {
        if (Object.hasOwn(given, name)) return given[name];
        const fallback = this.defaults.get(name);
        return fallback && valueFromASTUntyped(fallback);
      },
    });
    return valueFromASTUntyped(value, variables as Record<string, unknown>);
  }

  /** `first`, else `last`, else 50, as given; negative is 0, null is absent (docs/reference/limits.md#complexity). */
  private pageSize(node: FieldNode): number {
    const size = this.argument(node, 'first') ?? this.argument(node, 'last') ?? DEFAULT_PAGE;
    return Math.max(0, size);
  }

  private argument(node: FieldNode, name: string): number | undefined {
    return this.numberOf(node.arguments?.find((argument) => argument.name.value === name)?.value);
  }

  private numberOf(value: ValueNode | undefined): number | undefined {
    if (value?.kind === Kind.INT) return Number(value.value);
    if (value?.kind !== Kind.VARIABLE) return undefined;
    const name = value.name.value;
    // Given as null, a variable is null whatever its default says.
    const given = Object.hasOwn(this.variables, name) ? this.variables[name] : this.numberOf(this.defaults.get(name));
    return typeof given === 'number' && !Number.isNaN(given) ? given : undefined;
  }
}

function free(): Cost {
  return { plain: 0, nested: 0 };
}

function add(total: Cost, cost: Cost): void {
  total.plain += cost.plain;
  total.nested += cost.nested;
}

function fieldOf(parent: GraphQLCompositeType, name: string): GraphQLField<unknown, unknown> | undefined {
  // __typename costs nothing.
  if (name.startsWith('__') || isUnionType(parent)) return undefined;
  return parent.getFields()[name];
}

/** Recognised by its shape: one object with nodes and edges, from a field that takes a page size. */
function isConnection(field: GraphQLField<unknown, unknown>, type: GraphQLNamedType): boolean {
  if (!isObjectType(type) || isListType(getNullableType(field.type))) return false;
  const { nodes, edges } = type.getFields();
  return nodes !== undefined && edges !== undefined && field.args.some(({ name }) => name === 'first');
}
