import {
  type ArgumentNode,
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  getArgumentValues,
  getDirectiveValues,
  getNamedType,
  type GraphQLField,
  type GraphQLFieldResolver,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  GraphQLSkipDirective,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql';
import { answerTooLarge } from '../values/errors.js';
import { fragmentsOf } from './document.js';

const META_FIELDS: ReadonlyMap<string, GraphQLField<unknown, unknown>> = new Map([
  [SchemaMetaFieldDef.name, SchemaMetaFieldDef],
  [TypeMetaFieldDef.name, TypeMetaFieldDef],
]);

/** Whether a document may query the schema: a cheap test, sometimes true for one that does not. */
export const mayIntrospect = (source: string): boolean => /__schema\b|__type\b/.test(source);

/** An operation's root fields: those that ask for the schema, and the others. Null where there is none of the kind. */
export interface Parts {
  readonly introspection: SelectionSetNode | null;
  readonly rest: OperationDefinitionNode | null;
}

/** Splits an operation; fragments at its root become inline ones. */
export function partsOf(document: DocumentNode, operation: OperationDefinitionNode): Parts {
  const fragments = fragmentsOf(document);
  const pick = (set: SelectionSetNode, wanted: boolean): SelectionNode[] =>
    set.selections.flatMap((selection): SelectionNode[] => {
      if (selection.kind === Kind.FIELD) return META_FIELDS.has(selection.name.value) === wanted ? [selection] : [];
      const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection;
      const selections = fragment ? pick(fragment.selectionSet, wanted) : [];
      if (selections.length === 0) return [];
      const { directives } = selection;
      return [{ kind: Kind.INLINE_FRAGMENT, directives, selectionSet: { kind: Kind.SELECTION_SET, selections } }];
    });
  const [introspection, rest] = [pick(operation.selectionSet, true), pick(operation.selectionSet, false)];
  return {
    introspection: introspection.length > 0 ? { kind: Kind.SELECTION_SET, selections: introspection } : null,
    rest: rest.length > 0 ? { ...operation, selectionSet: { kind: Kind.SELECTION_SET, selections: rest } } : null,
  };
}

/** A field of an answer: how its value is read, and its selection. */
interface Step {
  readonly key: string;
  readonly read: (source: unknown) => unknown;
  /** Absent for scalars. */
  readonly below?: Plan;
}

/** The selection on objects of one meta type, and the results for those already visited. */
interface Plan {
  readonly steps: readonly Step[];
  readonly known: Map<unknown, object>;
}

/** Approximate size of a value in an answer besides its name, in bytes; texts are mostly longer. */
const LEAST_BYTES = 4;

/**
 * Answers `__schema` and `__type`. The schema never changes, so what a selection finds in a type, a field or an argument
 * is found once, however many ways lead there: graphql-js walks them all, which for a nested document of a page's length
 * holds up everybody for seconds (docs/reference/limits.md#complexity).
 */
export class Introspection {
  private readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** By meta type and the text of what is asked of it: aliases that ask for the same share what they find. */
  private readonly plans = new Map<string, Plan>();
  private size = 0;

  /**
   * @param variables coerced
   * @param limit bytes that an answer may have
   */
  constructor(
    private readonly schema: GraphQLSchema,
    document: DocumentNode,
    private readonly variables: Record<string, unknown>,
    private readonly limit: number,
  ) {
    this.fragments = fragmentsOf(document);
  }

  /** @throws TrackerError when the answer is certain to be too large */
  answer(selectionSet: SelectionSetNode): Record<string, unknown> {
    const query = this.schema.getQueryType() as GraphQLObjectType;
    return this.read(this.plan(query, [selectionSet]), undefined);
  }

  private plan(type: GraphQLObjectType, sets: readonly SelectionSetNode[]): Plan {
    const texts = sets.map(({ loc }) => loc?.source.body.slice(loc.start, loc.end));
    // what was made of a spread at the root stands nowhere in the document
    if (texts.includes(undefined)) return this.newPlan(type, sets);
    const key = [type.name, ...texts].join('\n');
    let plan = this.plans.get(key);
    if (!plan) this.plans.set(key, (plan = this.newPlan(type, sets)));
    return plan;
  }

  private newPlan(type: GraphQLObjectType, sets: readonly SelectionSetNode[]): Plan {
    const fields = new Map<string, FieldNode[]>();
    for (const set of sets) this.collect(set, fields);
    const steps = [...fields].map(([key, nodes]) => this.step(type, key, nodes));
    return { steps, known: new Map() };
  }

  private collect({ selections }: SelectionSetNode, into: Map<string, FieldNode[]>): void {
    for (const selection of selections) {
      if (!this.isIncluded(selection)) continue;
      if (selection.kind === Kind.FIELD) {
        const key = selection.alias?.value ?? selection.name.value;
        const known = into.get(key);
        if (known) known.push(selection);
        else into.set(key, [selection]);
        continue;
      }
      // meta types are objects, so a valid fragment is about the very type it stands in
      const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? this.fragments.get(selection.name.value) : selection;
      if (fragment) this.collect(fragment.selectionSet, into);
    }
  }

  private isIncluded(node: { readonly directives?: readonly DirectiveNode[] | undefined }): boolean {
    const says = (directive: typeof GraphQLSkipDirective): unknown =>
      getDirectiveValues(directive, node as SelectionNode, this.variables)?.['if'];
    return says(GraphQLSkipDirective) !== true && says(GraphQLIncludeDirective) !== false;
  }

  private step(type: GraphQLObjectType, key: string, nodes: readonly FieldNode[]): Step {
    const [node] = nodes as [FieldNode];
    const { name } = type;
    if (node.name.value === '__typename') return { key, read: () => name };
    const field = META_FIELDS.get(node.name.value) ?? type.getFields()[node.name.value];
    if (!field) throw new Error(`${name} has no field ${node.name.value}`);
    const args = getArgumentValues(field, node as FieldNode & { arguments?: readonly ArgumentNode[] }, this.variables);
    const resolve = field.resolve as GraphQLFieldResolver<unknown, undefined>;
    const info = { schema: this.schema } as GraphQLResolveInfo;
    const read = (source: unknown): unknown => resolve(source, args, undefined, info) ?? null;
    const named = getNamedType(field.type);
    if (!isObjectType(named)) return { key, read };
    const below = nodes.flatMap(({ selectionSet }) => (selectionSet ? [selectionSet] : []));
    return { key, read, below: this.plan(named, below) };
  }

  private read(plan: Plan, source: unknown): Record<string, unknown> {
    const known = plan.known.get(source);
    if (known) return known as Record<string, unknown>;
    const answer: Record<string, unknown> = {};
    plan.known.set(source, answer);
    for (const { key, read, below } of plan.steps) {
      const value = read(source);
      this.size += key.length + LEAST_BYTES;
      if (this.size > this.limit) throw answerTooLarge(this.limit);
      if (!below || value === null) answer[key] = value;
      else if (Array.isArray(value)) answer[key] = value.map((each) => this.read(below, each));
      else answer[key] = this.read(below, value);
    }
    return answer;
  }
}
