import { Controller, Get, Header, Inject, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { HttpEdges } from '../../kernel/http/edges.js';
import { RestError } from '../../kernel/http/http-error.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import type { Caller } from '../access/conversation-access.js';
import { CallerOf, RateTier, RequireScope, RpcMethod } from '../rpc/contract.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import type { RpcRequest } from '../rpc/rpc-call.js';
import { oauthUrl } from '../wire/chat-urls.js';
import { OPENID_SCOPES } from './oauth-scopes.js';
import { OpenidClaims } from './openid-claims.js';
import { OpenidKeys } from './openid-keys.js';
import { OpenidTokens } from './openid-tokens.service.js';

/** How long others may keep the keys and the discovery document. */
const CACHED = 'public, max-age=300';

/** Signing in to apps (docs/reference/installing.md#sign-in). */
@ApiExcludeController()
@Controller()
export class OpenidController {
  constructor(
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    private readonly publicUrl: PublicUrl,
    private readonly edges: HttpEdges,
    private readonly keys: OpenidKeys,
    private readonly tokens: OpenidTokens,
    private readonly claims: OpenidClaims,
  ) {}

  @RpcMethod('openid.connect.token', { core: false, client: true })
  @RequireScope(null)
  @RateTier(4)
  token(@Req() request: RpcRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<Answer> {
    return this.tokens.token(request, reply);
  }

  @RpcMethod('openid.connect.userInfo', { core: false, tokens: ['openid', 'user'] })
  @RequireScope('openid')
  @RateTier(4)
  userInfo(@CallerOf() caller: Caller): Promise<Answer> {
    return this.claims.of(caller, caller.scopes);
  }

  @Get('openid/connect/keys')
  @Header('Cache-Control', CACHED)
  jwks(): Promise<object> {
    this.requireMethods();
    return this.keys.jwks();
  }

  @Get('.well-known/openid-configuration')
  @Header('Cache-Control', CACHED)
  discovery(@Req() { headers }: FastifyRequest): object {
    this.requireMethods();
    const isVendors = this.edges.vendorHosts.of(headers) !== undefined;
    const base = oauthUrl(this.publicUrl.base, isVendors ? { urls: 'vendor' } : null);
    return {
      issuer: base,
      authorization_endpoint: `${base}/openid/connect/authorize`,
      token_endpoint: `${base}/api/openid.connect.token`,
      userinfo_endpoint: `${base}/api/openid.connect.userInfo`,
      jwks_uri: `${base}/openid/connect/keys`,
      scopes_supported: OPENID_SCOPES,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
      code_challenge_methods_supported: ['S256'],
      claims_supported: [
        'sub',
        'auth_time',
        'iss',
        'email',
        'email_verified',
        'name',
        'given_name',
        'family_name',
        'locale',
        'picture',
      ],
    };
  }

  /** @throws RestError 404 not_found */
  private requireMethods(): void {
    if (this.settings.methods === 'core') throw new RestError(404, 'not_found');
  }
}
