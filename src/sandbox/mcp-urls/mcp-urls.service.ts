import { Injectable } from '@nestjs/common';
import { Sessions } from '../../auth/sessions.js';
import { Db } from '../../kernel/database/db.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { RestError } from '../../kernel/http/http-error.js';
import { newAlphanumeric, newId, sha256Hex, type IdPrefix } from '../../kernel/ids/ids.js';
import type { ToolServerName } from '../../kernel/mcp/tool-servers.js';
import { withoutAt } from '../../kernel/text/names.js';
import { AppCalls } from '../../tenants/app-calls.js';
import { APP_BY_NAME } from '../../tenants/both-products.queries.js';
import { oneByOne } from '../access/one-by-one.js';
import { SandboxAccess, type SandboxCall } from '../access/sandbox-access.js';
import { Sandboxes } from '../sandboxes/sandboxes.service.js';
import { McpUrl } from './mcp-url.entity.js';
import { INSERT_FIRST_MCP_URL, INSERT_MCP_URL, MCP_URL_BY_HASH, MCP_URLS } from './mcp-urls.queries.js';

const MAX_MCP_URLS = 100;

/** What is answered once, when it is made. */
export interface MadeMcpUrl {
  readonly id: string;
  readonly chat_url: string;
  readonly issues_url: string;
  /** The name of the app or person. */
  readonly as: string;
}

interface Named extends Record<string, unknown> {
  readonly id: string;
  readonly name: string;
}

interface Owner extends Record<string, unknown> {
  readonly id: string;
  readonly tenantId: number;
  readonly appId: string | null;
  readonly userId: string;
}

/** URLs of the tool servers that need no header (docs/reference/mcp.md#by-url). */
@Injectable()
export class McpUrls {
  constructor(
    private readonly db: Db,
    private readonly publicUrl: PublicUrl,
    private readonly sandboxes: Sandboxes,
    private readonly access: SandboxAccess,
    private readonly apps: AppCalls,
    private readonly sessions: Sessions,
  ) {}

  /**
   * @param as id or name of an app or a person; undefined: the default app
   * @throws RestError 403 not_allowed_token_type, not_admin; 404 user_not_found; 400 cannot_act_as_bot;
   *   409 user_disabled, too_many_mcp_urls
   */
  async make(call: SandboxCall, as: string | undefined): Promise<MadeMcpUrl> {
    const { caller, sandbox } = call;
    // an app's user token would get more than its scopes
    if (caller.person?.kind === 'user') throw new RestError(403, 'not_allowed_token_type');
    const app = await this.appOf(sandbox.workspaceId, as);
    if (app) {
      // an admin gives no more than they have
      const userId = caller.person && !caller.admin ? caller.person.userId : sandbox.primaryOwnerId;
      return this.insert(sandbox.tenantId, { appId: app.id, userId }, app.name);
    }
    const person = as === undefined ? undefined : await this.sandboxes.personFor(call, as);
    if (!person) throw new RestError(404, 'user_not_found');
    return this.insert(sandbox.tenantId, { appId: null, userId: person.id }, person.name);
  }

  /** Those of the default app, for a new sandbox, which has none yet; null where there is no such app. */
  async ofDefaultApp(tenantId: number): Promise<MadeMcpUrl | null> {
    const { id, secret } = newUrl();
    const [app] = await this.db.run<Named>(INSERT_FIRST_MCP_URL, [id, tenantId, sha256Hex(secret)]);
    return app ? this.shown(id, secret, app.name) : null;
  }

  async list(tenantId: number): Promise<object[]> {
    const rows = await this.db.read<{ id: string; as: string | null; createdAt: Date }>(MCP_URLS, [tenantId]);
    return rows.map(({ id, as, createdAt }) => ({ id, as, created: Math.floor(createdAt.getTime() / 1000) }));
  }

  /** @throws RestError 404 mcp_url_not_found */
  async remove(tenantId: number, id: string): Promise<void> {
    const { affected } = await this.db.write((tx) => tx.sql.delete(McpUrl, { tenantId, id }));
    if (!affected) throw new RestError(404, 'mcp_url_not_found');
  }

  /**
   * Runs a call with a credential for what a path gives access to, which ends with it.
   * @throws RestError 401 invalid_auth
   */
  async during<T>(secret: string, product: ToolServerName, call: (credential: string) => Promise<T>): Promise<T> {
    const [owner] = await this.db.read<Owner>(MCP_URL_BY_HASH, [sha256Hex(secret)]);
    const sandbox = owner && (await this.access.ofTenant(owner.tenantId));
    if (!owner || !sandbox) throw new RestError(401, 'invalid_auth');
    if (owner.appId !== null) {
      const app = owner.appId;
      if (!(await this.appOf(sandbox.workspaceId, app))) throw new RestError(401, 'invalid_auth');
      if (product === 'chat') {
        return this.apps.as({ workspaceId: sandbox.workspaceId, app }, call).catch(refuseAsUnknown);
      }
    }
    const { person, sid, token } = await this.sandboxes
      .signInFor(sandbox, owner.userId, { acted_by: owner.id })
      .catch(refuseAsUnknown);
    try {
      return await call(token);
    } finally {
      await this.sessions.end(person.id, sid);
    }
  }

  private async appOf(workspaceId: string, idOrName: string | undefined): Promise<Named | undefined> {
    const [app] = await this.db.read<Named>(APP_BY_NAME, [workspaceId, idOrName ? withoutAt(idOrName) : null]);
    return app;
  }

  private async insert(
    tenantId: number,
    { appId, userId }: { appId: string | null; userId: string },
    as: string,
  ): Promise<MadeMcpUrl> {
    const { id, secret } = newUrl();
    const values = [id, tenantId, sha256Hex(secret), appId, userId, MAX_MCP_URLS];
    const [row] = await oneByOne(this.db, tenantId, INSERT_MCP_URL, values);
    if (!row) throw new RestError(409, 'too_many_mcp_urls');
    return this.shown(id, secret, as);
  }

  private shown(id: string, secret: string, as: string): MadeMcpUrl {
    const base = `${this.publicUrl.base}/mcp/${secret}`;
    return { id, chat_url: `${base}/chat`, issues_url: `${base}/issues`, as };
  }
}

const newUrl = () => ({ id: newId('Mu' as IdPrefix), secret: newAlphanumeric(40) });

/** Whoever is gone is as one who never was. */
function refuseAsUnknown(error: unknown): never {
  throw error instanceof RestError && error.getStatus() < 500 ? new RestError(401, 'invalid_auth') : error;
}
