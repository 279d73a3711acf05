import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import { Db } from '../kernel/database/db.js';
import { RestError } from '../kernel/http/http-error.js';
import { sha256Hex } from '../kernel/ids/ids.js';
import { cleanText } from '../kernel/text/clean.js';
import { isAdmin, managesAsPerson } from '../messaging/access/identity.js';
import { toRestError } from '../messaging/rest/rest-errors.js';
import { Credentials } from '../messaging/rpc/credentials.js';
import { Calls } from '../kernel/http/calls.js';
import { HeaderCredentials } from '../kernel/http/header-credentials.js';
import { LargeDocument } from '../kernel/http/large-document.js';
import { bearer } from '../kernel/http/bearer.js';
import { Admins, type Admin } from './admins.js';
import { BY_CONTROL_TOKEN } from './sandbox-callers.queries.js';

/** An admin or owner of the sandbox's workspace, with a token of their own. */
export interface SandboxPerson {
  readonly userId: string;
  readonly role: 'primary_owner' | 'owner' | 'admin';
  /** `user`: an app's user token of theirs; `jwt`: their own session. */
  readonly kind: 'user' | 'jwt';
  readonly sid: string | undefined;
  /** Whether they use the web UI. */
  readonly ui: boolean;
}

/** The caller of a sandbox route: an operator without a tenant, someone of one sandbox, or both. */
export interface SandboxCaller {
  readonly admin: Admin | null;
  /** The sandbox that `self` means; null for operators with a token. */
  readonly tenantId: number | null;
  /** SHA-256 of the control token they came with. */
  readonly controlHash: string | null;
  readonly person: SandboxPerson | null;
}

export const looksLikeControlToken = (credential: string): boolean => credential.startsWith('svc_sbx_');

/** If there are several credentials, X-Admin-Token wins over X-Sandbox-Token, and that over Authorization. */
@Injectable()
export class SandboxCallers {
  constructor(
    private readonly admins: Admins,
    private readonly credentials: Credentials,
    private readonly db: Db,
    private readonly calls: Calls,
    known: HeaderCredentials,
  ) {
    known.register((headers) => this.know(headers));
  }

  /** @throws RestError 401, 403; 503 when too many calls of the caller's tenant are running */
  async identify(request: FastifyRequest): Promise<SandboxCaller> {
    const caller = await this.authenticate(request);
    if (caller.tenantId !== null) this.calls.countFor(request, caller.tenantId);
    return caller;
  }

  private async authenticate(request: FastifyRequest): Promise<SandboxCaller> {
    const { adminToken, sandboxToken } = ownTokensOf(request.headers);
    if (adminToken !== undefined) {
      return { admin: await this.admins.authenticate(adminToken), tenantId: null, controlHash: null, person: null };
    }
    if (sandboxToken !== undefined) return this.ofControlToken(sandboxToken);
    const token = bearer(request.headers.authorization);
    if (token === undefined) throw new RestError(401, 'not_authed');
    if (looksLikeControlToken(token)) return this.ofControlToken(token);
    const admin = this.admins.ofToken(token);
    if (admin) return { admin, tenantId: null, controlHash: null, person: null };
    return this.ofPerson(token, request);
  }

  /** Whether an operator's token or a control token stands in the headers; undefined: another kind of credential. */
  private know(headers: IncomingHttpHeaders): Promise<boolean> | undefined {
    const { adminToken, sandboxToken } = ownTokensOf(headers);
    if (adminToken !== undefined) return isGood(this.admins.authenticate(adminToken));
    if (sandboxToken !== undefined) return isGood(this.ofControlToken(sandboxToken));
    const token = bearer(headers.authorization);
    if (token === undefined) return undefined;
    if (looksLikeControlToken(token)) return isGood(this.ofControlToken(token));
    return this.admins.ofToken(token) && Promise.resolve(true);
  }

  private async ofControlToken(token: string): Promise<SandboxCaller> {
    const controlHash = sha256Hex(token);
    const [row] = await this.db.read<{ tenantId: number | null; ended: boolean }>(BY_CONTROL_TOKEN, [controlHash]);
    if (!row || row.tenantId === null) throw new RestError(401, row?.ended ? 'account_inactive' : 'invalid_auth');
    return { admin: null, tenantId: row.tenantId, controlHash, person: null };
  }

  private async ofPerson(token: string, request: FastifyRequest): Promise<SandboxCaller> {
    const sent = (from: unknown): unknown => (from as { team_id?: unknown } | null | undefined)?.team_id;
    // a large document is parsed once it is known who sends it
    const inBody = request.body instanceof LargeDocument ? undefined : sent(request.body);
    const teamId = inBody ?? sent(request.query);
    const { identity } = await this.credentials
      .identify(token, typeof teamId === 'string' ? { team_id: cleanText(teamId) } : {})
      .catch((error: unknown) => {
        throw toRestError(error);
      });
    if (!managesAsPerson(identity)) throw new RestError(403, 'not_allowed_token_type');
    if (!isAdmin(identity) || identity.role === 'member') throw new RestError(403, 'not_admin');
    return {
      admin: (await this.admins.isDefaultAdmin(identity)) ? { name: null } : null,
      tenantId: identity.tenantId,
      controlHash: null,
      person: {
        userId: identity.userId,
        role: identity.role,
        kind: identity.kind,
        sid: identity.sid,
        ui: identity.ui === true,
      },
    };
  }
}

/** The headers that only these callers send. */
function ownTokensOf(headers: IncomingHttpHeaders): { adminToken?: string; sandboxToken?: string } {
  const header = (name: string): string | undefined => {
    const value = headers[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const [adminToken, sandboxToken] = [header('x-admin-token'), header('x-sandbox-token')];
  return { ...(adminToken !== undefined && { adminToken }), ...(sandboxToken !== undefined && { sandboxToken }) };
}

const isGood = (authenticated: Promise<unknown>): Promise<boolean> =>
  authenticated.then(
    () => true,
    (error: unknown) => {
      if (error instanceof RestError && error.getStatus() < 500) return false;
      throw error;
    },
  );
