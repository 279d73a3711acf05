import { LinearDocument } from '@linear/sdk';
import {
  getNamedType,
  isAbstractType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  parse,
  validate,
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

/** A document of the official client. */
export interface SdkDocument {
  readonly name: string;
  readonly text: string;
  readonly operation: OperationDefinitionNode;
  /** The root field. */
  readonly field: string;
  readonly document: DocumentNode;
}

/** The client's documents that are in scope: those that are valid. */
export function sdkDocuments(schema: GraphQLSchema): SdkDocument[] {
  return Object.entries(LinearDocument as unknown as Record<string, object>)
    .filter(([name]) => name.endsWith('Document'))
    .flatMap(([name, value]) => {
      const text = String(value);
      const document = parse(text);
      if (validate(schema, document).length > 0) return [];
      const operation = document.definitions.find((one) => one.kind === Kind.OPERATION_DEFINITION)!;
      const [first] = operation.selectionSet.selections;
      const field = first?.kind === Kind.FIELD ? first.name.value : '';
      return [{ name: name.slice(0, -'Document'.length), text, operation, field, document }];
    });
}

type Json = Record<string, unknown>;

/** What answers held: which fields had a value, and the ids of things by their types. */
export class Answers {
  /** `Type.field` of what was asked for. */
  readonly asked = new Set<string>();
  /** `Type.field` of what had a value at least once. */
  readonly given = new Set<string>();
  readonly ids: Record<string, string> = {};
  /** Ids of what one answer held. */
  private latest: Record<string, string> = {};

  constructor(private readonly schema: GraphQLSchema) {}

  /** Notes what an answer held; answers the ids in it by their types, the first of each. */
  note({ document, operation }: SdkDocument, data: Json): Record<string, string> {
    this.latest = {};
    const root = operation.operation === 'query' ? this.schema.getQueryType() : this.schema.getMutationType();
    const fragments = new Map(
      document.definitions.flatMap((one) =>
        one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one] as const] : [],
      ),
    );
    this.visit(root!, operation.selectionSet, fragments, data);
    for (const [type, id] of Object.entries(this.latest)) this.ids[type] ??= id;
    return this.latest;
  }

  private visit(
    type: GraphQLObjectType,
    { selections }: SelectionSetNode,
    fragments: ReadonlyMap<string, FragmentDefinitionNode>,
    data: Json,
  ): void {
    for (const selection of selections) {
      if (selection.kind !== Kind.FIELD) {
        const { typeCondition, selectionSet } =
          selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value)!;
        if (typeCondition && !this.fits(type, typeCondition.name.value)) continue;
        this.visit(type, selectionSet, fragments, data);
        continue;
      }
      const name = selection.name.value;
      if (name === '__typename') continue;
      const value = data[selection.alias?.value ?? name];
      this.asked.add(`${type.name}.${name}`);
      if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) continue;
      this.given.add(`${type.name}.${name}`);
      if (name === 'id' && typeof value === 'string') this.latest[type.name] ??= value;
      if (selection.selectionSet)
        this.each(type.getFields()[name]!.type, value, (one, of) =>
          this.visit(of, selection.selectionSet!, fragments, one),
        );
    }
  }

  private each(type: GraphQLOutputType, value: unknown, work: (one: Json, type: GraphQLObjectType) => void): void {
    if (isNonNullType(type)) return this.each(type.ofType, value, work);
    if (isListType(type)) return (value as unknown[]).forEach((one) => this.each(type.ofType, one, work));
    if (value === null) return;
    const named = getNamedType(type);
    const name = isAbstractType(named) ? String((value as Json)['__typename']) : named.name;
    const concrete = this.schema.getType(name);
    if (isObjectType(concrete)) work(value as Json, concrete);
  }

  private fits(type: GraphQLObjectType, condition: string): boolean {
    const wanted = this.schema.getType(condition);
    if (wanted === type) return true;
    return isAbstractType(wanted) && this.schema.isSubType(wanted, type);
  }
}
