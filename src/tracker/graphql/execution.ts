import {
  type DocumentNode,
  execute,
  type ExecutionResult,
  getVariableValues,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { ownTurn } from '../../kernel/clock/long-work.js';
import { FairQueue } from '../../kernel/limits/fair-queue.js';
import { isConstant } from './answer-text.js';
import { compileOperation, type CompiledOperation } from './compile.js';
import type { RelationContext } from './context.js';
import { Introspection, mayIntrospect, partsOf } from './introspection.js';
import { lruByText } from './lru.js';
import { strictVariables } from './strict-variables.js';

/** An operation of a validated document, as it is to be run. */
export interface Run {
  /** The document's text, which names it in the cache. */
  source: string;
  document: DocumentNode;
  /** Undefined when the document does not say which one; executing then words the refusal. */
  operation: OperationDefinitionNode | undefined;
  operationName: string | undefined;
  variables: Readonly<Record<string, unknown>>;
  context: RelationContext;
}

/** `badVariables` says that the errors are those of coercing variables (docs/reference/tracker.md#errors row 7). */
export type Executed = ExecutionResult & { badVariables?: true };

/** For longer documents compiling takes longer than it can ever save. */
const MAX_COMPILED_CHARACTERS = 30_000;

/** Runs operations: the first time by graphql-js, compiled when they are repeated. */
export class Execution {
  private readonly known = lruByText<CompiledOperation | 'once' | 'never'>(500, 4_000_000);
  /** Cached answers to documents that only query the schema: a few megabytes each at most. */
  private readonly introspected = lruByText<Record<string, unknown>>(4, 1_000_000);
  /** Each occupies the event loop for a while, so they take turns, tenant by tenant, and yield in between. */
  private readonly introspections = new FairQueue({ width: 1, laneWidth: () => 1 });

  constructor(private readonly schema: GraphQLSchema) {}

  async run(run: Run): Promise<Executed> {
    const { operation } = run;
    if (operation?.operation === 'query' && mayIntrospect(run.source)) {
      const { introspection, rest } = partsOf(run.document, operation);
      if (introspection) return this.introspect(run, operation, introspection, rest);
    }
    const compiled = this.compiled(run);
    if (compiled) {
      const { errors, coerced } = compiled.coerce(run.variables);
      if (errors && errors.length > 0) return { errors, badVariables: true };
      return compiled.execute(run.context, coerced ?? {});
    }
    if (operation) {
      const { errors } = this.coerce(run, operation);
      if (errors && errors.length > 0) return { errors, badVariables: true };
    }
    return this.execute(run, run.document);
  }

  private coerce(
    { document, variables }: Run,
    operation: OperationDefinitionNode,
  ): ReturnType<typeof getVariableValues> {
    const definitions = strictVariables(this.schema, document, operation);
    return getVariableValues(this.schema, definitions, variables, { maxErrors: 50 });
  }

  private async execute(run: Run, document: DocumentNode): Promise<ExecutionResult> {
    return execute({
      schema: this.schema,
      document,
      contextValue: run.context,
      variableValues: run.variables,
      operationName: run.operationName ?? null,
    });
  }

  /**
   * Answers the introspection fields, then the rest of the operation.
   * @throws TrackerError when the answer is too large
   */
  private async introspect(
    run: Run,
    operation: OperationDefinitionNode,
    introspection: SelectionSetNode,
    rest: OperationDefinitionNode | null,
  ): Promise<Executed> {
    const { errors, coerced } = this.coerce(run, operation);
    if (errors) return { errors, badVariables: true };
    const { viewer } = run.context;
    const key = rest ? undefined : `${run.operationName ?? ''}\n${JSON.stringify(coerced)}\n${run.source}`;
    const known = key === undefined ? undefined : this.introspected.get(key);
    if (known) return { data: known };
    const found = await this.introspections.run(viewer.tenantId, async () => {
      await ownTurn();
      const limit = viewer.answer?.limit ?? Infinity;
      return new Introspection(this.schema, run.document, coerced, limit).answer(introspection);
    });
    if (key !== undefined) {
      isConstant(found);
      this.introspected.set(key, found);
    }
    if (!rest) return { data: found };
    const definitions = run.document.definitions.map((node) => (node === operation ? rest : node));
    const result = await this.execute(run, { ...run.document, definitions });
    return result.data ? { ...result, data: { ...found, ...result.data } } : result;
  }

  private compiled({ source, document, operation, operationName }: Run): CompiledOperation | undefined {
    if (!operation || source.length > MAX_COMPILED_CHARACTERS) return undefined;
    const key = `${operationName ?? ''}\n${source}`;
    const known = this.known.get(key);
    if (typeof known === 'object') return known;
    if (known === undefined) this.known.set(key, 'once');
    if (known !== 'once') return undefined;
    let compiled: CompiledOperation | undefined;
    try {
      compiled = compileOperation(this.schema, document, operationName);
    } catch {
      // what cannot be compiled is executed as it is
    }
    this.known.set(key, compiled ?? 'never');
    return compiled;
  }
}
