import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Db } from '../kernel/database/db.js';
import { RestError } from '../kernel/http/http-error.js';
import type { OwnClient } from '../kernel/http/own-calls.js';
import { CallPasses } from '../messaging/rpc/call-passes.js';
import { App } from '../messaging/store/app.entity.js';
import { Token } from '../messaging/store/token.entity.js';

/** An app of a workspace by id or name, the person whose user token it calls with (else its bot's), and who asks. */
export interface AppCaller {
  readonly workspaceId: string;
  readonly app: string;
  readonly userId?: string | undefined;
  /** Undefined: the app itself. */
  readonly actedBy?: string | undefined;
  readonly client?: OwnClient | undefined;
}

/** Calls of this process in the name of an app. */
@Injectable()
export class AppCalls {
  constructor(
    private readonly db: Db,
    private readonly passes: CallPasses,
  ) {}

  /**
   * Runs a call with a credential that stands for a token of the app that works.
   * @throws RestError 404 app_not_found, 409 no_token
   */
  async as<T>({ workspaceId, app, userId, ...how }: AppCaller, call: (credential: string) => Promise<T>): Promise<T> {
    const named = [
      { workspaceId, id: app },
      { workspaceId, name: app },
    ];
    const token = await this.db.load(async (entities) => {
      const found = await entities.findOne(App, { where: named, order: { createdAt: 'ASC' } });
      if (!found) throw new RestError(404, 'app_not_found');
      const kind = userId === undefined ? ('bot' as const) : ('user' as const);
      const where = {
        workspaceId,
        appId: found.id,
        kind,
        revokedAt: IsNull(),
        ...(userId !== undefined && { userId }),
      };
      return entities.findOne(Token, { where, order: { createdAt: 'DESC' } });
    });
    if (!token) throw new RestError(409, 'no_token');
    return this.passes.during({ tokenHash: token.hash, ...how }, call);
  }
}
