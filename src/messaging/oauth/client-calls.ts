import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { clientCredentials } from '../../oauth/client-credentials.js';
import type { RpcRequest } from '../rpc/rpc-call.js';
import { UnguardedCalls } from '../rpc/unguarded-calls.js';
import { MessagingError, type ErrorCode } from '../wire/codes.js';
import { Clients, type ClientSandbox, type Client } from './clients.js';

/** Arguments as text, and who the client says it is. */
export interface ClientCall {
  readonly method: string;
  readonly client: Client | null;
  readonly clientSecret: string | undefined;
  readonly sentToken: string | undefined;
  readonly text: (name: string) => string | undefined;
}

/** A call that redeems a code or a refresh token. */
export interface GrantCall extends ClientCall {
  readonly client: Client;
  readonly isRefresh: boolean;
  /** The code or the refresh token. */
  readonly sent: string;
}

const SECRET_ARGUMENTS = new Set(['code', 'code_verifier', 'client_secret', 'refresh_token', 'token']);

/** What methods of clients have in common: an app's id and secret in place of a token. */
@Injectable()
export class ClientCalls {
  constructor(
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    private readonly clients: Clients,
    private readonly unguarded: UnguardedCalls,
  ) {}

  /** Reads a call. @throws MessagingError what is wrong with its body; unknown_method where the home has the core alone */
  async read(request: RpcRequest, method: string): Promise<ClientCall> {
    const { args = {}, bodyError, sentToken } = request.rpc ?? { args: {} };
    const { clientId, clientSecret } = clientCredentials(request.headers.authorization, args);
    const client = await this.clients.find(clientId);
    if ((client?.sandbox?.methods ?? this.settings.methods) === 'core') throw new MessagingError('unknown_method');
    if (bodyError !== undefined) throw new MessagingError(bodyError as ErrorCode);
    const text = (name: string): string | undefined => {
      const value = args[name];
      return typeof value === 'string' && value !== '' ? value.replaceAll('\0', '\ufffd') : undefined;
    };
    return { method, client, clientSecret, sentToken, text };
  }

  /**
   * The same for a method that redeems what somebody granted. A call that names nothing of that is one of the app's home.
   * @throws MessagingError
   */
  async readGrant(request: RpcRequest, reply: FastifyReply, method: string): Promise<GrantCall> {
    const call = await this.read(request, method);
    const { client } = call;
    const isRefresh = call.text('grant_type') === 'refresh_token';
    const sent = call.text(isRefresh ? 'refresh_token' : 'code');
    const refusal = refusalOf(sent, call.text('grant_type'));
    if (refusal !== undefined && client)
      await this.begin(request, reply, call, client, this.clients.calledAt(null, client));
    if (refusal !== undefined) throw new MessagingError(refusal);
    if (!client) throw new MessagingError('invalid_client_id');
    return { ...call, client, isRefresh, sent: sent as string };
  }

  /** Reports the call, meets faults, counts it, and goes by the sandbox's clock. @throws MessagingError ratelimited */
  async begin(
    request: RpcRequest,
    reply: FastifyReply,
    call: ClientCall,
    client: Client,
    workspace: ClientSandbox,
  ): Promise<void> {
    const { sandbox, tenantId } = workspace;
    await this.unguarded.begin(request, reply, {
      call: {
        tenantId,
        product: 'chat',
        method: call.method,
        caller: { kind: 'client', app_id: client.id, app: client.name },
        args: shown(request),
        journal: sandbox?.journal ?? false,
        hasFaults: sandbox?.hasFaults ?? false,
      },
      sandbox,
      tier: 4,
      countsFor: client.clientId,
    });
  }

  /** @throws MessagingError bad_client_secret */
  requireSecret(client: Client, secret: string | undefined): void {
    if (!this.clients.opens(client, secret)) throw new MessagingError('bad_client_secret');
  }
}

/** What is wrong with the grant that a call names, before the client is looked at. */
function refusalOf(sent: string | undefined, grantType = 'authorization_code'): ErrorCode | undefined {
  if (grantType !== 'authorization_code' && grantType !== 'refresh_token') return 'invalid_grant_type';
  if (sent !== undefined) return undefined;
  return grantType === 'refresh_token' ? 'invalid_refresh_token' : 'invalid_code';
}

const shown = ({ rpc }: RpcRequest): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(rpc?.args ?? {}).map(([name, value]) => [name, SECRET_ARGUMENTS.has(name) ? '[redacted]' : value]),
  );
