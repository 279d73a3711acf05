import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { sha256Hex } from '../../kernel/ids/ids.js';
import { isSameSecret } from '../../kernel/ids/same-secret.js';
import { SandboxReader, type SandboxFlags } from '../../kernel/sandbox/sandbox-flags.js';
import { fitsRedirect } from '../../kernel/http/redirect-urls.js';
import { asRegistered } from '../../oauth/redirect-uri.js';
import { isUuid } from '../values/uuid.js';
import type { OauthApplication } from '../store/oauth-application.entity.js';
import { CLIENT, PLACES } from './oauth-clients.queries.js';

/** A registered application as a client of OAuth. */
export interface OauthClient extends OauthApplication {
  readonly tenantId: number;
  /** Its home's sandbox. */
  readonly sandbox: SandboxFlags | null;
}

/** An organization, with one person of it, who may be missing. */
export interface PersonIn {
  readonly id: string;
  readonly name: string;
  readonly urlKey: string;
  readonly tenantId: number;
  readonly sandbox: SandboxFlags | null;
  /** Of whom was asked for; null: no active user. */
  readonly userId: string | null;
  readonly userName: string | null;
  readonly admin: boolean | null;
}

/** Which organizations, and which person of each. */
interface Sought {
  readonly id?: string | undefined;
  readonly urlKey?: string | undefined;
  readonly accountId?: string | null;
  readonly userId?: string | null;
}

/** Finds applications by their client ids, and organizations in which they are authorized. */
@Injectable()
export class OauthClients {
  constructor(
    private readonly db: Db,
    private readonly sandboxes: SandboxReader,
  ) {}

  find(clientId: string | undefined): Promise<OauthClient | null> {
    return clientId !== undefined && /^[0-9a-f]{32}$/.test(clientId)
      ? this.client(clientId, null)
      : Promise.resolve(null);
  }

  byId(id: string): Promise<OauthClient | null> {
    return this.client(null, id);
  }

  /** Whether a secret is the client's. */
  opens({ clientSecretHash }: OauthClient, secret: string | undefined): boolean {
    return isSameSecret(sha256Hex(secret ?? ''), clientSecretHash ?? '') && clientSecretHash !== null;
  }

  async places({ id = undefined, urlKey, accountId = null, userId = null }: Sought): Promise<PersonIn[]> {
    const rows = await this.db.read<PersonIn & { flags: string | null; [column: string]: unknown }>(PLACES, [
      id ?? null,
      urlKey ?? null,
      accountId,
      userId !== null && isUuid(userId) ? userId : null,
    ]);
    return rows.map((row) => ({ ...row, sandbox: this.sandboxes.ofCall(row.flags) }));
  }

  private async client(clientId: string | null, id: string | null): Promise<OauthClient | null> {
    const rows = await this.db.read<OauthClient & { flags: string | null; [column: string]: unknown }>(CLIENT, [
      clientId,
      id,
    ]);
    const [row] = rows;
    return row ? { ...row, sandbox: this.sandboxes.ofCall(row.flags) } : null;
  }
}

/** Whether people may be sent to a URL: an exact one, or for a default application without any, one of this machine. */
export const isRegisteredRedirect = ({ redirectUris, isDefault, sandbox }: OauthClient, uri: string): boolean =>
  redirectUris.length === 0 && isDefault
    ? fitsRedirect(uri, null)
    : asRegistered(uri, sandbox?.ids).some((one) => redirectUris.includes(one));
