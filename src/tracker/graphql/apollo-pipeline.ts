import {
  ApolloServer,
  type ApolloServerPlugin,
  type GraphQLRequestContext,
  type GraphQLResponse,
  HeaderMap,
} from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { Injectable } from '@nestjs/common';
import type { FormattedExecutionResult, GraphQLSchema } from 'graphql';
import { ownTurn } from '../../kernel/clock/long-work.js';
import { noSubscriptions } from '../values/errors.js';
import type { Viewer } from '../access/viewer.js';
import { answerText, constantText } from './answer-text.js';
import { badText } from './bad-text.js';
import { Budgets, type Charge } from './budgets.js';
import { complexityOf, wholePoints } from './complexity.js';
import type { RelationContext } from './context.js';
import { Documents, InvalidDocument } from './documents.js';
import { Execution, type Executed } from './execution.js';
import { type Answer, type Circumstances, ErrorWording } from './error-wording.js';
import type { GraphqlRequest } from './read-request.js';
import { accessKeyFault } from './access-key-faults.js';
import { scopeFault } from './scope-faults.js';

/** Longer answers are sent one per turn of the event loop, in characters. */
const LONG_ANSWER = 100_000;

/** One request on its way through Apollo, which copies its context: this object stays the same. */
export interface Exchange {
  readonly viewer: Viewer;
  readonly context: RelationContext;
  /** The request id for logged bugs. */
  readonly request: { readonly id: string; readonly url: string };
  /** The query's cost, once it is known. */
  complexity?: number;
  charge?: Charge;
  /** A bug of the pipeline itself. */
  unexpected?: unknown;
}

interface Context {
  readonly exchange: Exchange;
}

type Step = GraphQLRequestContext<Context>;

/**
 * The processing of an operation in Apollo's hooks (docs/decisions/tracker-graphql-edge.md): Apollo parses it; it is
 * validated, priced and charged once it is resolved, then executed, and its errors are worded.
 */
@Injectable()
export class ApolloPipeline {
  private readonly documents = new Documents();
  private apollo: ApolloServer<Context>;

  constructor(
    private readonly budgets: Budgets,
    private readonly wording: ErrorWording,
  ) {}

  /** Makes the Apollo server that `run` passes operations through. */
  async start(schema: GraphQLSchema): Promise<ApolloServer<Context>> {
    const quiet = (): void => undefined;
    this.apollo = new ApolloServer<Context>({
      schema,
      plugins: [
        this.plugin(schema, new Execution(schema)),
        // some plugins would wrap every resolver
        ApolloServerPluginCacheControlDisabled(),
        ApolloServerPluginInlineTraceDisabled(),
        ApolloServerPluginLandingPageDisabled(),
        ApolloServerPluginSchemaReportingDisabled(),
        ApolloServerPluginUsageReportingDisabled(),
      ],
      persistedQueries: false,
      dangerouslyDisableValidation: true,
      introspection: true,
      stopOnTerminationSignals: false,
      includeStacktraceInErrorResponses: false,
      // errors are logged with the request's id where they are worded
      logger: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    });
    await this.apollo.start();
    return this.apollo;
  }

  async run(exchange: Exchange, request: GraphqlRequest): Promise<Answer> {
    const refusal = this.documents.refusalOf(request.query);
    if (refusal) return this.wording.answer(exchange.request, refusal, { phase: 'validate' });
    try {
      const { body, http } = await this.apollo.executeOperation(
        { ...request, operationName: request.operationName ?? undefined },
        { contextValue: { exchange } },
      );
      if (body.kind !== 'single') throw new Error('an operation was answered in parts');
      const { singleResult } = body;
      const text = singleResult.errors ? undefined : await answerText(singleResult.data);
      // encoding and sending it is one step
      if (text !== undefined && text.length > LONG_ANSWER) await ownTurn();
      return { status: http.status ?? 200, body: singleResult, text, retryAfter: http.headers.get('retry-after') };
    } catch (error) {
      return this.wording.answer(exchange.request, [exchange.unexpected ?? error]);
    }
  }

  private plugin(schema: GraphQLSchema, execution: Execution): ApolloServerPlugin<Context> {
    return {
      requestDidStart: async () => ({
        didResolveOperation: (step) => this.admit(schema, step),
        responseForOperation: (step) => this.execute(execution, step),
        willSendResponse: async (step) => this.wordErrors(step),
      }),
      unexpectedErrorProcessingRequest: async ({ requestContext, error }) => {
        requestContext.contextValue.exchange.unexpected = error;
      },
    };
  }

  /**
   * Admits an operation that is valid, not too complex and within its caller's budgets.
   * @throws its refusal
   */
  private async admit(schema: GraphQLSchema, step: Step): Promise<void> {
    const { document, operation, request, source = '' } = step;
    const { exchange } = step.contextValue;
    if (!document) return;
    if (operation?.operation === 'subscription') throw noSubscriptions();
    this.documents.requireValid(schema, document, source);
    // Apollo words the refusal of a document that does not select one of its operations
    if (!operation) return;
    const tenths = complexityOf(schema, document, request.operationName, request.variables);
    const complexity = (exchange.complexity = wholePoints(tenths));
    const tooComplex = this.budgets.tooComplex(tenths);
    if (tooComplex) throw tooComplex;
    const charge = (exchange.charge = await this.budgets.charge(
      exchange.viewer,
      tenths,
      operation.operation === 'query',
    ));
    if (charge.refusal) throw charge.refusal;
    exchange.context.allowances = () => this.budgets.allowances({ ...charge, complexity });
    const bad = badText(document, operation, source, request.variables ?? {});
    if (bad) throw bad;
    const unscoped = scopeFault(schema, document, operation, request.variables ?? {}, exchange.viewer);
    if (unscoped) throw unscoped;
    const unopened = accessKeyFault(document, operation, exchange.viewer);
    if (unopened) throw unopened;
  }

  private async execute(execution: Execution, step: Step): Promise<GraphQLResponse | null> {
    const { document, operation, request, source = '' } = step;
    if (!operation || !document) return null;
    const { exchange } = step.contextValue;
    const { context, viewer } = exchange;
    const { operationName, variables = {} } = request;
    const run = { source, document, operation, operationName, variables, context };
    let executed: Executed;
    try {
      executed = await execution.run(run);
    } catch (error) {
      // variables that nest deeper than the stack, or an introspection that grew too large
      return this.refused(exchange, [error], { phase: 'validate' });
    }
    const { errors, data, badVariables } = executed;
    // what was sent before is not too large
    const tooLarge = constantText(data) === undefined ? await viewer.answer?.refusalOf(data) : undefined;
    if (tooLarge) return this.refused(exchange, [tooLarge]);
    if (errors && errors.length > 0) {
      return this.refused(exchange, errors, { data, phase: badVariables ? 'variables' : 'execute' });
    }
    return responseOf({ status: 200, body: { data } });
  }

  private refused({ request }: Exchange, errors: readonly unknown[], circumstances?: Circumstances): GraphQLResponse {
    return responseOf(this.wording.answer(request, errors, circumstances));
  }

  /** Words what Apollo refused or the pipeline did not admit. */
  private wordErrors({ errors, source = '', response, contextValue: { exchange } }: Step): void {
    if (!errors) return;
    // the same document always gets them
    if (errors.every((error) => error.extensions['code'] === 'GRAPHQL_PARSE_FAILED'))
      this.documents.refuse(source, errors);
    const [first] = errors;
    Object.assign(
      response,
      first instanceof InvalidDocument
        ? this.refused(exchange, first.faults, { phase: 'validate' })
        : this.refused(exchange, errors),
    );
  }
}

function responseOf({ status, body, retryAfter }: Answer): GraphQLResponse {
  const headers = new HeaderMap(retryAfter === undefined ? [] : [['retry-after', retryAfter]]);
  return { http: { status, headers }, body: { kind: 'single', singleResult: body as FormattedExecutionResult } };
}
