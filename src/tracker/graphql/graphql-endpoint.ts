import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Clock } from '../../kernel/clock/clock.js';
import { readTextInCallersIds } from '../../kernel/http/callers-ids.js';
import { staysInTenant } from '../../kernel/http/call-context.js';
import { isBearer, withoutBearer } from '../../kernel/http/bearer.js';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { AlreadyAnswered, Calls, type Call } from '../../kernel/http/calls.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { CallSteps, isOperators } from '../../kernel/sandbox/call-steps.js';
import { AnswerMeter } from '../access/answer-meter.js';
import { AssetSignatures, EXPIRY_HEADER } from '../access/asset-signatures.js';
import { Callers, looksLikeApiKey, looksLikeReleaseKey } from '../access/callers.js';
import { beginCall, graphqlFaults } from '../access/journal.js';
import type { Viewer } from '../access/viewer.js';
import { RequestLoading } from '../query/loaders.js';
import { authenticationRequired, keyAsBearer, organizationRequired, TrackerError } from '../values/errors.js';
import { ApolloPipeline, type Exchange } from './apollo-pipeline.js';
import { Budgets, type BudgetState, type Charge } from './budgets.js';
import { type Answer, ErrorWording } from './error-wording.js';
import { readRequest } from './read-request.js';
import { RootFields } from './root-fields.js';
import { webFor } from '../values/urls.js';

/**
 * The HTTP side of GraphQL (docs/reference/tracker.md#transport): credential, faults, body, and the headers of the answer.
 * What happens to an operation is in `ApolloPipeline` (docs/decisions/tracker-graphql-edge.md).
 */
@Injectable()
export class GraphqlEndpoint {
  private readonly roots = new RootFields();

  constructor(
    private readonly callers: Callers,
    private readonly budgets: Budgets,
    private readonly loading: RequestLoading,
    private readonly publicUrl: PublicUrl,
    private readonly pipeline: ApolloPipeline,
    private readonly wording: ErrorWording,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    private readonly clock: Clock,
    private readonly calls: Calls,
    private readonly steps: CallSteps,
    private readonly signatures: AssetSignatures,
  ) {}

  async handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    let viewer: Viewer;
    try {
      const caller = await this.authenticate(request.headers.authorization);
      viewer = { ...caller, answer: new AnswerMeter(this.settings.trackerMaxAnswer) };
    } catch (error) {
      return this.send(reply, this.wording.answer(request, [error]), this.budgets.full);
    }
    staysInTenant(viewer.tenantId);
    this.clock.enter(viewer.sandbox);
    if (viewer.sandbox?.ids && Buffer.isBuffer(request.body)) {
      readTextInCallersIds(request, request.body);
    }
    const call = await this.begin(request, reply, viewer);
    if (call === 'answered') return reply;
    const exchange: Exchange = {
      viewer,
      context: {
        viewer,
        load: this.loading.forRequest(viewer),
        db: this.loading.db,
        web: webFor(this.publicUrl.base, viewer),
      },
      request,
    };
    let answer: Answer;
    let charge: Charge | undefined;
    const openFor = this.signatures.secondsOf(request.headers[EXPIRY_HEADER]);
    try {
      const read = openFor instanceof TrackerError ? openFor : readRequest(request.body);
      answer =
        read instanceof TrackerError ? this.wording.answer(request, [read]) : await this.pipeline.run(exchange, read);
      charge = exchange.charge ?? (await this.budgets.charge(viewer, 0));
      // the request budget comes before body, parsing and pricing; taking both together saves one round trip to the
      // store
      if (charge.refusal) answer = this.wording.answer(request, [charge.refusal]);
    } catch (error) {
      answer = this.wording.answer(request, [error]);
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
    if (typeof openFor === 'number') {
      const { text = JSON.stringify(answer.body) } = answer;
      answer = { ...answer, text: this.signatures.signed(text, viewer, openFor) };
    }
    return this.send(reply, answer, state);
  }

  /** Reports the call, parsing the document for its name; a fault may answer it before any budget is used. */
  private async begin(
    request: FastifyRequest,
    reply: FastifyReply,
    viewer: Viewer,
  ): Promise<Call | 'answered' | undefined> {
    const { sandbox } = viewer;
    const mayWrite = (): boolean => /\bmutation\b/.test(bodyText(request.body));
    const step = async (): Promise<void> => {
      const isRead = !mayWrite();
      await this.steps.begin(sandbox, { isRead, isOperators: isOperators(viewer, isRead) });
    };
    if (!sandbox?.journal && !sandbox?.hasFaults) {
      beginCall(this.calls, [request, reply], viewer, { method: 'graphql', args: undefined, isRead: false });
      if (this.steps.concern(sandbox)) await step();
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
    if (this.steps.concern(sandbox)) await step();
    try {
      await this.calls.applyFaults(
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

  /** Answers requests that never reached `handle`: another method, a body too large. No bucket is used. */
  refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
    if (!reply.sent) void this.send(reply, this.wording.answer(request, [error]), this.budgets.full);
  }

  /**
   * The forms of docs/reference/tracker.md#transport and no others. @throws TrackerError
   * docs/reference/tracker.md#errors rows 1 to 3
   */
  private async authenticate(authorization = ''): Promise<Viewer> {
    const bearer = isBearer(authorization) ? withoutBearer(authorization).trim() : '';
    if (looksLikeApiKey(bearer) || looksLikeReleaseKey(bearer)) throw keyAsBearer();
    const found = await this.callers.byHeader(authorization);
    if (found && 'viewer' in found) return found.viewer;
    throw found?.refused === 'organization_required' ? organizationRequired() : authenticationRequired();
  }

  private send(
    reply: FastifyReply,
    { status, body, text = JSON.stringify(body), retryAfter }: Answer,
    state: BudgetState,
  ): FastifyReply {
    if (retryAfter !== undefined) void reply.header('Retry-After', retryAfter);
    const headers = { ...this.budgets.headers(state), 'Content-Type': 'application/json; charset=utf-8' };
    return reply.code(status).headers(headers).send(text);
  }
}

const bodyText = (body: unknown): string => (Buffer.isBuffer(body) ? body.toString('utf8') : '');
