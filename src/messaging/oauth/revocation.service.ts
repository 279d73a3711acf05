import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Db } from '../../kernel/database/db.js';
import type { Caller } from '../access/conversation-access.js';
import { InstallationEnds } from '../installing/installation-ends.js';
import { Token } from '../store/token.entity.js';
import { MessagingError } from '../wire/codes.js';
import { ClientCalls } from './client-calls.js';
import { Clients } from './clients.js';

/** Tokens and installations that their apps end (docs/reference/installing.md#ends). */
@Injectable()
export class Revocation {
  constructor(
    private readonly db: Db,
    private readonly ends: InstallationEnds,
    private readonly clients: Clients,
    private readonly clientCalls: ClientCalls,
  ) {}

  /** A long-lived token takes its half with it; any other ends alone. */
  async revoke(caller: Caller): Promise<void> {
    const { workspaceId, tenantId, userId, app, kind, expiresAt, tokenHash: hash } = caller;
    if (app && (kind === 'bot' || kind === 'user') && expiresAt === undefined) {
      await this.ends.end({ workspaceId, tenantId }, app.id, { userId });
      return;
    }
    await this.db.write((tx) =>
      tx.sql.update(Token, { hash: hash as string, revokedAt: IsNull() }, { revokedAt: () => 'now()' }),
    );
  }

  /** @throws MessagingError invalid_client_id, bad_client_secret, client_id_token_mismatch */
  async uninstall(caller: Caller, clientId: string | undefined, clientSecret: string | undefined): Promise<void> {
    const client = await this.clients.find(clientId);
    if (!client) throw new MessagingError('invalid_client_id');
    this.clientCalls.requireSecret(client, clientSecret);
    if (client.id !== caller.app?.id) throw new MessagingError('client_id_token_mismatch');
    const { workspaceId, tenantId } = caller;
    await this.ends.end({ workspaceId, tenantId }, client.id, 'all');
  }
}
