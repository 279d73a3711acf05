import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import type { Identity } from '../access/identity.js';
import { ConfigTokens } from '../installing/config-tokens.js';
import { Credentials } from '../rpc/credentials.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import { callBy } from '../rpc/journal.js';
import type { RpcRequest } from '../rpc/rpc-call.js';
import { UnguardedCalls } from '../rpc/unguarded-calls.js';
import { MessagingError, type ErrorCode } from '../wire/codes.js';

const METHOD = 'tooling.tokens.rotate';

/** tooling.tokens.rotate: its credential is the refresh token (docs/reference/installing.md#configuration-tokens). */
@Injectable()
export class ConfigTokenRotation {
  constructor(
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    private readonly credentials: Credentials,
    private readonly unguarded: UnguardedCalls,
    private readonly tokens: ConfigTokens,
  ) {}

  /** @throws MessagingError invalid_refresh_token, account_inactive */
  async rotate(request: RpcRequest, reply: FastifyReply): Promise<Answer> {
    const { args = {}, bodyError } = request.rpc ?? {};
    const sent = args['refresh_token'];
    const holder = typeof sent === 'string' ? await this.holderOf(sent) : undefined;
    if ((holder?.sandbox.methods ?? this.settings.methods) === 'core') throw new MessagingError('unknown_method');
    if (bodyError !== undefined) throw new MessagingError(bodyError as ErrorCode);
    if (!holder) throw new MessagingError('invalid_refresh_token');
    await this.unguarded.begin(request, reply, {
      call: callBy(holder, { method: METHOD, args: { ...args, refresh_token: '[redacted]' }, isRead: false }),
      sandbox: holder.sandbox,
      tier: 3,
      countsFor: holder.userId,
    });
    const made = await this.tokens.rotate(sent as string);
    if (!made) throw new MessagingError('invalid_refresh_token');
    return { ...made };
  }

  /** Undefined: it is none of these refresh tokens, or was used. @throws MessagingError account_inactive */
  private async holderOf(refresh: string): Promise<Identity | undefined> {
    try {
      const { identity } = await this.credentials.identify(refresh, {});
      return identity.kind === 'refresh' && !identity.app ? identity : undefined;
    } catch (error) {
      if (error instanceof MessagingError && error.code !== 'account_inactive') return undefined;
      throw error;
    }
  }
}
