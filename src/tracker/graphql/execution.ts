import {
  type DocumentNode,
  execute,
  type ExecutionResult,
  getVariableValues,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { compileOperation, type CompiledOperation } from './compile.js';
import type { RelationContext } from './context.js';
import { Lru } from './lru.js';
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

/** Compiling takes longer than the time it ever saves where a document is this long. */
const MAX_COMPILED_CHARACTERS = 30_000;

/** Runs operations: the first time by graphql-js, from the second sight on compiled. */
export class Execution {
  private readonly known = new Lru<CompiledOperation | 'once' | 'never'>(500, 4_000_000);

  constructor(private readonly schema: GraphQLSchema) {}

  /** `badVariables` says that the errors are those of coercing variables (docs/reference/tracker.md#errors row 7). */
  async run(run: Run): Promise<ExecutionResult & { badVariables?: true }> {
    const compiled = this.compiled(run);
    if (compiled) {
      const { errors, coerced } = compiled.coerce(run.variables);
      if (errors && errors.length > 0) return { errors, badVariables: true };
      return compiled.execute(run.context, coerced ?? {});
    }
    if (run.operation) {
      const definitions = strictVariables(this.schema, run.document, run.operation);
      const { errors } = getVariableValues(this.schema, definitions, run.variables, { maxErrors: 50 });
      if (errors && errors.length > 0) return { errors, badVariables: true };
    }
    return execute({
      schema: this.schema,
      document: run.document,
      contextValue: run.context,
      variableValues: run.variables,
      operationName: run.operationName ?? null,
    });
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
