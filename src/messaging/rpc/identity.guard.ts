import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Clock } from '../../kernel/clock/clock.js';
import { fromCaller } from '../../kernel/clock/request-sandbox.js';
import { staysInTenant } from '../../kernel/http/call-context.js';
import { Calls } from '../../kernel/http/calls.js';
import { CallSteps, isOperators } from '../../kernel/sandbox/call-steps.js';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import type { Identified } from '../access/identities.js';
import { methodsFor, type CredentialKind } from '../access/identity.js';
import { MessagingError } from '../wire/codes.js';
import { readArguments, type ReadArguments } from './args/read-body.js';
import type { RpcRequest } from './rpc-call.js';
import { Credentials, stored } from './credentials.js';
import { bearer } from '../../kernel/http/bearer.js';
import { beginCall, rpcFaults } from './journal.js';
import { MethodRegistry, type Method } from './method-registry.js';
import { RememberedCalls } from './remembered-calls.js';
import { rpcHeaders } from './rpc-edge.js';

/**
 * Steps 1 and 2 of docs/reference/chat.md#order-of-checks: reads the call, finds its credential and who is behind it,
 * and whether they have the method.
 */
@Injectable()
export class IdentityGuard implements CanActivate {
  constructor(
    private readonly methods: MethodRegistry,
    private readonly credentials: Credentials,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    private readonly clock: Clock,
    private readonly calls: Calls,
    private readonly remembered: RememberedCalls,
    private readonly steps: CallSteps,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<RpcRequest>();
    const reply = http.getResponse<FastifyReply>();
    const method = this.methods.of(context.getHandler());
    rpcHeaders(request, reply);

    const { url } = request.raw;
    const start = url === undefined ? -1 : url.indexOf('?');
    const reading = readArguments({
      method: request.method,
      contentType: request.headers['content-type'],
      body: request.body as Buffer | undefined,
      query: start === -1 ? '' : (url as string).slice(start + 1),
    });
    const read = reading instanceof Promise ? await reading : reading;
    if (method.isForClients) {
      request.rpc = {
        args: read.args,
        bodyError: read.error,
        sentToken: bearer(request.headers.authorization) ?? read.token,
      };
      return true;
    }
    // methods for app-level tokens, the handshake of a transport too, take their credential in the header alone
    const token = bearer(request.headers.authorization) ?? (method.takesHeaderOnly ? undefined : read.token);
    const ids = token === undefined ? null : this.credentials.idsOf(token);
    const recalled =
      token === undefined ? undefined : await this.remembered.prove(method, token, stored(read.args, ids));
    // a token that was fixed once more may be another sandbox's by now
    const proven = ids && recalled?.identity.sandbox.ids !== ids ? undefined : recalled;
    const identified = proven ?? (await this.identify(method, token, read));
    checkTokenType(method, identified?.identity.kind, request.method);
    if (method.accepted !== '') void reply.header('X-Accepted-OAuth-Scopes', method.accepted);
    request.rpc = { args: read.args, bodyError: read.error, allowance: proven?.allowance };
    if (!identified) return true;

    const { identity, conversation } = identified;
    staysInTenant(identity.tenantId);
    this.clock.enter(identity.sandbox);
    const args = fromCaller(read.args);
    if (identity.app) void reply.header('X-OAuth-Scopes', identity.scopes.join(','));
    const channel = args['channel'];
    request.rpc = {
      ...request.rpc,
      args,
      caller: {
        ...identity,
        rule: method.rule,
        named:
          typeof channel === 'string' && /^[CDG]0[0-9A-Z]{9}$/.test(channel)
            ? { id: channel, conversation }
            : undefined,
      },
    };
    beginCall(this.calls, [request, reply], identity, { method: method.name, args, isRead: method.reads });
    const step = this.steps.begin(identity.sandbox, {
      isRead: method.reads,
      isOperators: isOperators(identity, method.reads),
    });
    if (step) await step;
    const met = this.calls.applyFaults(request, reply, rpcFaults(request.id));
    if (met) await met;
    return true;
  }

  /**
   * A method beyond the 27 is there for callers of a server or a sandbox that has all; for everybody else it is
   * unknown, and nothing is said of their credential. Undefined: nobody known, which an anonymous method allows.
   */
  private async identify(
    method: Method,
    token: string | undefined,
    { args, token: sent }: ReadArguments,
  ): Promise<Identified | undefined> {
    let identified: Identified | undefined;
    try {
      if (token === undefined) throw new MessagingError('not_authed');
      identified = await this.credentials.identify(token, args);
    } catch (error) {
      if (!(error instanceof MessagingError)) throw error;
      // also where it stands in the wrong place, which is then the error
      const isMeantFor = method.isHandshake && (token ?? sent)?.startsWith('xapp-') === true;
      if (!method.isCore && !isMeantFor && this.settings.methods === 'core') throw new MessagingError('unknown_method');
      if (!method.isAnonymous) throw error;
    }
    const opens = method.isHandshake && identified?.identity.kind === 'app';
    if (!method.isCore && !opens && methodsFor(identified?.identity, this.settings) === 'core') {
      throw new MessagingError('unknown_method');
    }
    return identified;
  }
}

/** Step 2b: app-level tokens only open connections, and only they do; other tokens too are for some methods alone. */
function checkTokenType(method: Method, kind: CredentialKind | undefined, verb: string): void {
  if (method.isHandshake) {
    if (verb !== 'POST') throw new MessagingError('insecure_request');
    if (kind !== 'app') throw new MessagingError('not_allowed_token_type');
  } else if (kind !== undefined && !method.tokens.includes(kind) && !method.isAnonymous) {
    throw new MessagingError('not_allowed_token_type');
  }
}
