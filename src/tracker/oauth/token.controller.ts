import { Body, Catch, Controller, HttpCode, Inject, Injectable, Post, Req, Res, UseFilters } from '@nestjs/common';
import type { ArgumentsHost, ExceptionFilter } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Clock } from '../../kernel/clock/clock.js';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { Calls, type CallCaller } from '../../kernel/http/calls.js';
import { Limits, scaled } from '../../kernel/limits/limits.js';
import { bearer } from '../../kernel/http/bearer.js';
import { clientCredentials } from '../../oauth/client-credentials.js';
import { OauthClients } from './oauth-clients.js';
import { invalidClient, invalidRequest, NO_STORE, OauthError, oauthFaults } from './oauth-error.js';
import { Revocation } from './revocation.service.js';
import { TokenService, type TokenSandbox, type TokenRequest } from './token.service.js';
import type { TokenAnswer } from './authorizations.js';

/** Requests for tokens of one client in a minute. */
const TOKENS = { kind: 'window', limit: 100, windowMs: 60_000 } as const;

const SECRETS = new Set(['code', 'code_verifier', 'client_secret', 'refresh_token', 'access_token', 'token']);

type Fields = Readonly<Record<string, unknown>>;

@Injectable()
@Catch(OauthError)
class OauthErrors implements ExceptionFilter<OauthError> {
  async catch({ status, code, description, retryAfter }: OauthError, host: ArgumentsHost): Promise<void> {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const again = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
    await reply
      .code(status)
      .headers({ ...NO_STORE, ...again })
      .send({ error: code, error_description: description });
  }
}

/** Tokens for applications, and their end (docs/reference/tracker-oauth.md#tokens, #ends). */
@ApiExcludeController()
@Controller()
@UseFilters(OauthErrors)
export class TrackerTokenController {
  constructor(
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    private readonly clients: OauthClients,
    private readonly tokens: TokenService,
    private readonly revocation: Revocation,
    private readonly calls: Calls,
    private readonly clock: Clock,
    private readonly limits: Limits,
  ) {}

  @Post('oauth/token')
  @HttpCode(200)
  async token(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body() body: unknown,
  ): Promise<TokenAnswer> {
    void reply.headers(NO_STORE);
    const fields = formOf(request, body);
    const text = (name: string): string | undefined => textOf(fields, name);
    const grantType = text('grant_type');
    const { clientId, clientSecret } = clientCredentials(request.headers.authorization, fields);
    const client = await this.clients.find(clientId);
    const isUntyped = grantType === undefined;
    if (!client) throw isUntyped ? untyped() : clientId === undefined ? unnamed() : invalidClient();
    const asked: TokenRequest = { client, clientSecret, text };
    const place = await this.tokens.placeOf(asked);
    await this.begin([request, reply], 'oauth/token', place, { kind: 'client', app_id: client.id, app: client.name });
    await this.count(client.clientId, place);
    if (isUntyped) throw untyped();
    if (grantType === 'authorization_code') return this.tokens.redeem(asked);
    if (grantType === 'refresh_token') return this.tokens.refresh(asked);
    if (grantType === 'client_credentials') return this.tokens.byClient(asked);
    throw new OauthError(400, 'unsupported_grant_type', 'The grant type is not supported');
  }

  @Post('oauth/revoke')
  @HttpCode(200)
  async revoke(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body() body: unknown,
  ): Promise<object> {
    void reply.headers(NO_STORE);
    const fields = formOf(request, body);
    const sent =
      bearer(request.headers.authorization ?? '') ??
      textOf(fields, 'access_token') ??
      textOf(fields, 'refresh_token') ??
      textOf(fields, 'token');
    if (sent === undefined) throw invalidRequest('A token is required');
    const found = await this.revocation.find(sent);
    await this.begin([request, reply], 'oauth/revoke', found, found.caller);
    await this.revocation.revoke(found);
    return {};
  }

  /** Reports the call, meets faults, and goes by the sandbox's clock. */
  private async begin(
    [request, reply]: readonly [FastifyRequest, FastifyReply],
    method: string,
    { tenantId, sandbox }: TokenSandbox,
    caller: CallCaller,
  ): Promise<void> {
    this.clock.enter(sandbox);
    this.calls.begin(request, reply, {
      tenantId,
      product: 'tracker',
      method,
      caller,
      args: shown(request.body),
      journal: sandbox?.journal ?? false,
      hasFaults: sandbox?.hasFaults ?? false,
    });
    await this.calls.applyFaults(request, reply, oauthFaults);
  }

  /** @throws OauthError 429 ratelimited */
  private async count(clientId: string, { sandbox }: TokenSandbox): Promise<void> {
    const policy = scaled(TOKENS, sandbox?.rateLimitMultiplier ?? this.settings.rateLimitMultiplier);
    if (!policy) return;
    const taken = await this.limits.take(`${sandbox?.allowances ?? ''}oauth/token:${clientId}`, policy);
    if (taken.allowed) return;
    const seconds = Math.max(1, Math.ceil(taken.retryAfterMs / 1000));
    throw new OauthError(429, 'ratelimited', 'Too many requests', seconds);
  }
}

const untyped = (): OauthError => invalidRequest('grant_type is required');
const unnamed = (): OauthError => invalidRequest('client_id is required');

/** @throws OauthError invalid_request for anything but a form */
function formOf({ headers }: FastifyRequest, body: unknown): Fields {
  const type = headers['content-type'] ?? '';
  if (type !== '' && !/^application\/x-www-form-urlencoded(?:\s*;|\s*$)/i.test(type))
    throw invalidRequest('The body must be a form (application/x-www-form-urlencoded)');
  return typeof body === 'object' && body !== null ? (body as Fields) : {};
}

function textOf(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' && value !== '' ? value.replaceAll('\0', '\ufffd') : undefined;
}

const shown = (body: unknown): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries((body ?? {}) as Fields).map(([name, value]) => [name, SECRETS.has(name) ? '[redacted]' : value]),
  );
