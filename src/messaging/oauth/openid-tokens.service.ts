import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Clock } from '../../kernel/clock/clock.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { HttpEdges } from '../../kernel/http/edges.js';
import { eachText } from '../../kernel/ids/id-space.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { AppTokens, type GrantedTokens } from '../installing/app-tokens.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import type { RpcRequest } from '../rpc/rpc-call.js';
import { oauthUrl } from '../wire/chat-urls.js';
import { signingSeconds, type ChatGrant } from './chat-consent.js';
import { ClientCalls } from './client-calls.js';
import { Clients, hasPkce, type Client, type WorkspaceRow } from './clients.js';
import { OpenidClaims } from './openid-claims.js';
import { OpenidKeys } from './openid-keys.js';
import { Redemption } from './redemption.js';
import { TokenRotation } from './token-rotation.js';

/** How long an ID token is good, in seconds. */
const ID_TOKEN_SECONDS = 300;

/** Who signed in, and for what. */
interface SignedIn {
  readonly client: Client;
  readonly workspace: WorkspaceRow;
  readonly userId: string;
  readonly scopes: readonly string[];
  /** What only a code knows; a refresh says nothing of it. */
  readonly consent?: Pick<ChatGrant, 'at' | 'nonce'>;
  readonly issuer: string;
}

/** openid.connect.token: a code of signing in becomes a token and an ID token (docs/reference/installing.md#sign-in). */
@Injectable()
export class OpenidTokens {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly clients: Clients,
    private readonly clientCalls: ClientCalls,
    private readonly redemption: Redemption,
    private readonly rotation: TokenRotation,
    private readonly tokens: AppTokens,
    private readonly keys: OpenidKeys,
    private readonly claims: OpenidClaims,
    private readonly publicUrl: PublicUrl,
    private readonly edges: HttpEdges,
  ) {}

  /** @throws MessagingError */
  async token(request: RpcRequest, reply: FastifyReply): Promise<Answer> {
    const call = await this.clientCalls.readGrant(request, reply, 'openid.connect.token');
    const { client } = call;
    if (call.isRefresh) {
      const { half, tokens, workspace } = await this.rotation.replace(request, reply, call, 'openid_refresh');
      const { userId, scopes } = half;
      return this.answer({ client, workspace, userId, scopes, issuer: this.issuerFor(request, workspace) }, tokens);
    }
    const workspace = await this.redemption.open(request, reply, call);
    return this.signIn(client, workspace, this.issuerFor(request, workspace), (tx) =>
      this.redemption.redeem(tx, call, client, 'sign-in'),
    );
  }

  /** The same for a test, which needs neither the client's secret nor its verifier. @throws MessagingError */
  redeemUnproven(code: string, client: Client, workspace: WorkspaceRow): Promise<Answer> {
    const issuer = oauthUrl(this.publicUrl.base, this.clients.sandboxOf(workspace));
    return this.signIn(client, workspace, issuer, (tx) => this.redemption.redeemUnproven(tx, code, client, 'sign-in'));
  }

  private async signIn(
    client: Client,
    workspace: WorkspaceRow,
    issuer: string,
    redeemed: (tx: Tx) => Promise<ChatGrant>,
  ): Promise<Answer> {
    const { grant, tokens } = await this.db.write(async (tx) => {
      const grant = await redeemed(tx);
      const { userId, user: scopes } = grant;
      const rotation =
        grant.rotates || grant.isDesktop ? { isPublic: grant.isDesktop, hasPkce: hasPkce(client) } : undefined;
      const half = { kind: 'openid', workspaceId: workspace.id, appId: client.id, userId, scopes } as const;
      return { grant, tokens: await this.tokens.grant(tx, half, rotation) };
    });
    const { userId, user: scopes } = grant;
    return this.answer({ client, workspace, userId, scopes, consent: grant, issuer }, tokens);
  }

  private async answer(signedIn: SignedIn, { access_token, ...rotating }: GrantedTokens): Promise<Answer> {
    const id_token = await this.idToken(signedIn, access_token);
    return { access_token, token_type: 'Bearer', id_token, ...rotating };
  }

  private async idToken(
    { client, workspace, userId, scopes, consent, issuer }: SignedIn,
    access: string,
  ): Promise<string> {
    const sandbox = this.clients.sandboxOf(workspace);
    const iat = signingSeconds(this.clock, sandbox);
    const claims = await this.claims.of({ workspaceId: workspace.id, userId }, scopes);
    const ids = sandbox?.ids;
    return this.keys.sign({
      // what is signed has the ids of callers before it is an answer, in which they would be found
      ...(ids ? eachText(claims, (text) => ids.outside(text)) : claims),
      iss: issuer,
      aud: client.clientId,
      iat,
      exp: iat + ID_TOKEN_SECONDS,
      ...(consent && { auth_time: consent.at }),
      ...(consent && consent.nonce !== null && { nonce: consent.nonce }),
      at_hash: leftHalf(access),
    });
  }

  private issuerFor({ headers }: RpcRequest, workspace: WorkspaceRow): string {
    const isVendors = this.edges.vendorHosts.of(headers) !== undefined;
    return oauthUrl(this.publicUrl.base, isVendors ? { urls: 'vendor' } : this.clients.sandboxOf(workspace));
  }
}

/** OpenID Connect Core 1.0, 3.1.3.6: by the hash of the algorithm that signs. */
const leftHalf = (token: string): string =>
  createHash('sha256').update(token, 'ascii').digest().subarray(0, 16).toString('base64url');
