import { Controller } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { Lifecycle } from '../../kernel/http/lifecycle.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { newHex, sha256Hex } from '../../kernel/ids/ids.js';
import type { Identity } from '../access/identity.js';
import { MessagingError } from '../wire/codes.js';
import { CallerOf, RateTier, RequireScope, RpcMethod } from '../rpc/contract.js';
import { INSERT_TICKET } from './sockets.queries.js';
import { socketUrl } from '../wire/chat-urls.js';

/** Socket Mode's own method (docs/reference/socket-mode.md#opening). */
@Controller()
export class SocketsController {
  constructor(
    private readonly db: Db,
    private readonly publicUrl: PublicUrl,
    private readonly lifecycle: Lifecycle,
  ) {}

  @RpcMethod('apps.connections.open', { core: false, handshake: true })
  @RequireScope('connections:write')
  @RateTier(3)
  async open(@CallerOf() caller: Identity): Promise<{ url: string }> {
    // another replica has a future
    if (this.lifecycle.draining) throw new MessagingError('service_unavailable', { retryAfter: 1 });
    const { id } = caller.app as { id: string };
    const ticket = newHex(64);
    await this.db.run(INSERT_TICKET, [
      sha256Hex(ticket),
      id,
      caller.workspaceId,
      caller.tenantId,
      caller.tokenHash as string,
    ]);
    const base = socketUrl(this.publicUrl.base, caller.sandbox);
    return { url: `${base}/link/?ticket=${ticket}&app_id=${id}` };
  }
}
