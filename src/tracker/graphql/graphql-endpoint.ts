import { ApolloServer, HeaderMap, type ApolloServerPlugin, type GraphQLRequestContext } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { GraphQLError, validate, type DocumentNode, type GraphQLSchema } from 'graphql';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { isStoreUnavailable, waitAfter } from '../../kernel/database/unavailable.js';
import { AlreadyAnswered, Calls, type Call } from '../../kernel/http/calls.js';
import { pathOf } from '../../kernel/http/edges.js';
import { RETRY_AFTER_SECONDS } from '../../kernel/http/error.filter.js';
import { Clock } from '../../kernel/clock/clock.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { Log } from '../../kernel/log/log.js';
import { AnswerMeter } from '../access/answer-meter.js';
import { Callers, looksLikeApiKey } from '../access/callers.js';
import { beginCall, graphqlFaults } from '../access/journal.js';
import {
  authenticationRequired,
  keyAsBearer,
  noSubscriptions,
  organizationRequired,
  timedOut,
  TrackerError,
  unavailable,
} from '../values/errors.js';
import { RequestLoading } from '../store/loaders.js';
import type { Viewer } from '../access/viewer.js';
import { answerText } from './answer-text.js';
import { badText } from './bad-text.js';
import { Budgets, type BudgetState, type Charge } from './budgets.js';
import { complexityOf, wholePoints } from './complexity.js';
import type { RelationContext } from './context.js';
import { overDocumentLimits, withoutRepeats } from './document-limits.js';
import { Execution, type Executed } from './execution.js';
import { formatResponse, type Phase } from './format-error.js';
import { lruByText } from './lru.js';
import { readRequest, type GraphqlRequest } from './read-request.js';
import { RootFields } from './root-fields.js';

/** One request on its way through Apollo's pipeline, which copies its context: this object is what stays the same. */
interface Exchange {
  readonly viewer: Viewer;
  readonly context: RelationContext;
  complexity?: number;
  charge?: Charge;
  /** What is wrong with the document itself. */
  invalid?: readonly unknown[];
  /** Of parsing, validating, pricing: nothing was executed. */
  refused?: readonly unknown[];
  result?: Executed;
  unexpected?: unknown;
}

interface Outcome {
  errors?: readonly unknown[];
  data?: unknown;
  phase?: Phase;
  /** The whole answer, where there were no errors. */
  text?: string;
}

/**
 * The GraphQL endpoint (docs/reference/tracker.md#transport). What Apollo has no place for stands around it, in the
 * contract's order: credential, budgets, body, document limits. Parsing and the order of steps are Apollo's; its
 * plugin hooks validate, price, charge and execute (docs/decisions/tracker-graphql-edge.md).
 */
@Injectable()
export class GraphqlEndpoint {
  /** What is known of documents: within the limits, valid, or the errors that they always meet. */
  private readonly documents = lruByText<'small' | 'valid' | readonly unknown[]>(2_000, 8_000_000);
  private readonly roots = new RootFields();
  private apollo: ApolloServer<{ exchange: Exchange }>;

  constructor(
    private readonly callers: Callers,
    private readonly budgets: Budgets,
    private readonly loading: RequestLoading,
    private readonly publicUrl: PublicUrl,
    private readonly log: Log,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    private readonly clock: Clock,
    private readonly calls: Calls,
  ) {}

  /** Makes the Apollo server that `handle` passes operations through. */
  async start(schema: GraphQLSchema): Promise<ApolloServer<{ exchange: Exchange }>> {
    const quiet = (): void => undefined;
    this.apollo = new ApolloServer<{ exchange: Exchange }>({
      schema,
      plugins: [
        this.pipeline(schema, new Execution(schema)),
        // some of them would wrap every resolver
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
      // what is worth a line is logged here, with the request's id
      logger: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    });
    await this.apollo.start();
    return this.apollo;
  }

  async handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    let viewer: Viewer;
    try {
      const caller = await this.authenticate(request.headers.authorization);
      viewer = { ...caller, answer: new AnswerMeter(this.settings.trackerMaxAnswer) };
    } catch (error) {
      return this.answer(request, reply, { errors: [error] }, this.budgets.full);
    }
    this.clock.enter(viewer.sandbox?.time);
    const call = await this.begin(request, reply, viewer);
    if (call === 'answered') return reply;
    const exchange: Exchange = {
      viewer,
      context: { viewer, load: this.loading.forRequest(viewer), db: this.loading.db, web: this.publicUrl.base },
    };
    let outcome: Outcome;
    let charge: Charge | undefined;
    try {
      outcome = await this.run(exchange, request.body);
      charge = exchange.charge ?? (await this.charge(viewer, 0, false));
      // the request budget comes before body, parsing and pricing; asking once for both is one way to the store less
      if (charge.refusal) outcome = { errors: [charge.refusal] };
    } catch (error) {
      outcome = { errors: [error] };
    }
    const state: BudgetState = { ...(charge ?? this.budgets.full) };
    if (exchange.complexity !== undefined) state.complexity = exchange.complexity;
    if (call) {
      call.cost = {
        complexity: exchange.complexity ?? 0,
        complexity_left: state.complexityRemaining,
        requests_left: state.requestsRemaining,
      };
    }
    return this.answer(request, reply, outcome, state);
  }

  /** Tells of the call, for whose name its document is read; a fault may answer it, before any budget is touched. */
  private async begin(
    request: FastifyRequest,
    reply: FastifyReply,
    viewer: Viewer,
  ): Promise<Call | 'answered' | undefined> {
    const { sandbox } = viewer;
    if (!sandbox?.journal && !sandbox?.hasFaults) {
      beginCall(this.calls, [request, reply], viewer, { method: 'graphql', args: undefined, isRead: false });
      return undefined;
    }
    const read = readRequest(request.body);
    const args = read instanceof TrackerError ? bodyText(request.body) : read;
    const { methods, isRead } = this.roots.of(read instanceof TrackerError ? undefined : read);
    const call = beginCall(this.calls, [request, reply], viewer, {
      method: methods[0] ?? 'graphql',
      methods,
      args,
      isRead,
    });
    try {
      await this.calls.meet(
        request,
        reply,
        graphqlFaults(this.budgets.headers(this.budgets.full), this.budgets.full.requestsRemaining),
      );
    } catch (error) {
      if (error instanceof AlreadyAnswered) return 'answered';
      throw error;
    }
    return call;
  }

  /** What the web UI reads costs nobody anything (docs/reference/web-ui.md#reading). */
  private async charge(viewer: Viewer, tenths: number, isRead: boolean): Promise<Charge> {
    return viewer.ui && isRead ? this.budgets.full : this.budgets.charge(viewer, tenths);
  }

  /** Answers what never reached `handle`: another method, a body too large. No bucket is touched. */
  refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
    if (!reply.sent) void this.answer(request, reply, { errors: [error] }, this.budgets.full);
  }

  /**
   * The forms of docs/reference/tracker.md#transport and no others. @throws TrackerError
   * docs/reference/tracker.md#errors rows 1 to 3
   */
  private async authenticate(authorization: string | undefined): Promise<Viewer> {
    const bearer = /^bearer +(.*)$/i.exec(authorization ?? '')?.[1]?.trim();
    if (bearer !== undefined && looksLikeApiKey(bearer)) throw keyAsBearer();
    const found =
      bearer !== undefined
        ? await this.callers.byAccessToken(bearer)
        : looksLikeApiKey(authorization ?? '')
          ? await this.callers.byApiKey(authorization as string)
          : undefined;
    if (found && 'viewer' in found) return found.viewer;
    throw found?.refused === 'organization_required' ? organizationRequired() : authenticationRequired();
  }

  private async run(exchange: Exchange, body: unknown): Promise<Outcome> {
    const request = readRequest(body);
    if (request instanceof TrackerError) return { errors: [request] };
    let known = this.documents.get(request.query);
    if (known === undefined) {
      const tooLarge = overDocumentLimits(request.query);
      known = tooLarge ? [tooLarge] : 'small';
      this.documents.set(request.query, known);
    }
    if (typeof known !== 'string') return { errors: known, phase: 'validate' };
    try {
      await this.apollo.executeOperation(
        { ...request, operationName: request.operationName ?? undefined },
        { contextValue: { exchange } },
      );
    } catch (error) {
      return { errors: [exchange.unexpected ?? error], phase: exchange.result ? 'execute' : 'validate' };
    }
    return this.outcome(exchange, request);
  }

  /** @throws TrackerError where the answer is too large */
  private async outcome({ invalid, refused, result, viewer }: Exchange, request: GraphqlRequest): Promise<Outcome> {
    if (invalid) {
      this.documents.set(request.query, invalid);
      return { errors: invalid, phase: 'validate' };
    }
    if (refused) {
      if (refused.every(isAboutDocument)) this.documents.set(request.query, refused);
      return { errors: refused };
    }
    if (!result) return { errors: [new Error('an operation was neither refused nor executed')] };
    const { errors, data, badVariables } = result;
    await viewer.answer?.checkAnswer(data);
    if (errors && errors.length > 0) return { errors, data, phase: badVariables ? 'variables' : 'execute' };
    return { text: await answerText(data) };
  }

  /**
   * Validates a document once. Not left to Apollo: comparing every two fields of one name takes so long that graphql-js
   * gives up on documents that are allowed, so repeats, which mean nothing, are taken out before.
   */
  private validate(schema: GraphQLSchema, document: DocumentNode, source: string): readonly unknown[] | undefined {
    if (this.documents.get(source) === 'valid') return undefined;
    try {
      const errors = validate(schema, withoutRepeats(document));
      if (errors.length > 0) return errors;
    } catch (error) {
      // nested too deeply, which formatting words; anything else is a bug
      return [error];
    }
    this.documents.set(source, 'valid');
    return undefined;
  }

  private pipeline(schema: GraphQLSchema, execution: Execution): ApolloServerPlugin<{ exchange: Exchange }> {
    type Context = GraphQLRequestContext<{ exchange: Exchange }>;
    const price = async (step: Context): Promise<void> => {
      const { document, operation, request } = step;
      const { exchange } = step.contextValue;
      if (!document) return;
      if (operation?.operation === 'subscription') throw noSubscriptions();
      const invalid = this.validate(schema, document, step.source as string);
      if (invalid) {
        exchange.invalid = invalid;
        throw new Error('the document is not valid');
      }
      if (!operation) return;
      const tenths = complexityOf(schema, document, request.operationName, request.variables);
      exchange.complexity = wholePoints(tenths);
      const over = this.budgets.tooComplex(tenths);
      if (over) throw over;
      exchange.charge = await this.charge(exchange.viewer, tenths, operation.operation === 'query');
      if (exchange.charge.refusal) throw exchange.charge.refusal;
      const bad = badText(document, operation, step.source as string, request.variables ?? {});
      if (bad) throw bad;
    };
    return {
      requestDidStart: async () => ({
        didResolveOperation: price,
        responseForOperation: async ({ contextValue: { exchange }, source, document, operation, request }) => {
          // without an operation Apollo words the refusal
          if (!operation || !document) return null;
          exchange.result = await execution.run({
            source: source as string,
            document,
            operation,
            operationName: request.operationName,
            variables: request.variables ?? {},
            context: exchange.context,
          });
          return {
            http: { status: undefined, headers: new HeaderMap() },
            body: { kind: 'single', singleResult: {} },
          };
        },
        didEncounterErrors: async ({ contextValue: { exchange }, errors }) => {
          exchange.refused = errors;
        },
      }),
      unexpectedErrorProcessingRequest: async ({ requestContext, error }) => {
        requestContext.contextValue.exchange.unexpected = error;
      },
    };
  }

  private answer(request: FastifyRequest, reply: FastifyReply, outcome: Outcome, state: BudgetState): FastifyReply {
    const headers = { ...this.budgets.headers(state), 'Content-Type': 'application/json; charset=utf-8' };
    if (!outcome.errors) return reply.code(200).headers(headers).send(outcome.text);
    const errors = outcome.errors.map((error) =>
      isAway(error) ? unavailable(waitOf(error)) : isTimeout(error) ? timedOutAt(error) : error,
    );
    const { status, body, retryAfter, bugs } = formatResponse(errors, outcome.data, outcome.phase);
    for (const error of bugs) {
      this.log.error('graphql failed', { error, requestId: request.id, path: pathOf(request.url) });
    }
    if (retryAfter !== undefined) void reply.header('Retry-After', String(retryAfter));
    return reply.code(status).headers(headers).send(JSON.stringify(body));
  }
}

const bodyText = (body: unknown): string => (Buffer.isBuffer(body) ? body.toString('utf8') : '');

const DOCUMENT_CODES: readonly unknown[] = ['GRAPHQL_PARSE_FAILED'];

/** Errors that the same document will always meet. */
const isAboutDocument = (error: unknown): boolean =>
  error instanceof GraphQLError && DOCUMENT_CODES.includes(error.extensions['code']);

/** SQLSTATEs of a statement that was cancelled and of a lock that was not to be had in time. */
const TIMEOUTS: readonly unknown[] = ['57014', '55P03'];

function isTimeout(error: unknown): boolean {
  for (let at = error, depth = 0; at && depth < 5; at = (at as GraphQLError).originalError, depth++) {
    if (TIMEOUTS.includes((at as { code?: unknown }).code)) return true;
  }
  return false;
}

function timedOutAt(error: unknown): unknown {
  const refusal = timedOut();
  if (!(error instanceof GraphQLError)) return refusal;
  const { nodes, path } = error;
  return new GraphQLError(refusal.message, { nodes, path, originalError: refusal });
}

/** What a refusal for the caller's organization alone says, else what counts for all. */
function waitOf(error: unknown): number {
  for (let at = error, depth = 0; at && depth < 5; at = (at as GraphQLError).originalError, depth++) {
    const wait = waitAfter(at);
    if (wait !== undefined) return wait;
  }
  return RETRY_AFTER_SECONDS;
}

/** The store is away or the server is closing, under however many layers. */
function isAway(error: unknown): boolean {
  for (let at = error, depth = 0; at && depth < 5; at = (at as GraphQLError).originalError, depth++) {
    if (at instanceof TrackerError) return false;
    if (isStoreUnavailable(at)) return true;
  }
  return false;
}
