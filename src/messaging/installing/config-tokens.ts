import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { sha256Hex } from '../../kernel/ids/ids.js';
import { hintOf, newRefreshToken, newRotatingToken, ROTATING_SECONDS } from '../provisioning/initial-values.js';
import { Token, type TokenKind } from '../store/token.entity.js';
import { PRUNE_CONFIG } from './installing.queries.js';

/** The newest tokens of a person that go on, of each kind. */
const KEPT = 20;

/** Whose token it is. */
interface Holder {
  readonly workspaceId: string;
  readonly userId: string;
}

/** A pair as answers show it; times are whole seconds. */
export interface ConfigToken {
  readonly token: string;
  readonly refresh_token: string;
  readonly team_id: string;
  readonly user_id: string;
  readonly iat: number;
  readonly exp: number;
}

/** Configuration tokens: a person's, for manifests (docs/reference/installing.md#configuration-tokens). By the sandbox's clock. */
@Injectable()
export class ConfigTokens {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
  ) {}

  issue(holder: Holder): Promise<ConfigToken> {
    return this.db.write((tx) => this.issueIn(tx, holder));
  }

  /** A new pair for a refresh token, which is good once. Null: it is no such token, or was used. */
  rotate(refresh: string): Promise<ConfigToken | null> {
    return this.db.write(async (tx) => {
      const where = { hash: sha256Hex(refresh), kind: 'config_refresh' as const };
      const known = await tx.sql.findOne(Token, { where, lock: { mode: 'pessimistic_write' } });
      if (!known || known.revokedAt !== null) return null;
      await tx.sql.delete(Token, { hash: known.hash });
      return this.issueIn(tx, known);
    });
  }

  private async issueIn(tx: Tx, { workspaceId, userId }: Holder): Promise<ConfigToken> {
    const now = this.clock.nowMicros();
    const expiresAt = now + ROTATING_SECONDS * 1e6;
    const [token, refresh] = [newRotatingToken('user'), newRefreshToken()];
    const store = (text: string, kind: TokenKind, ends: number | null): Promise<unknown> =>
      tx.sql.insert(Token, {
        hash: sha256Hex(text),
        kind,
        workspaceId,
        // of no app
        appId: '',
        userId,
        scopes: [],
        hint: hintOf(text),
        expiresAt: ends,
      });
    await store(token, 'config', expiresAt);
    await store(refresh, 'config_refresh', null);
    await tx.query(PRUNE_CONFIG, [workspaceId, userId, KEPT]);
    const iat = Math.floor(now / 1e6);
    return {
      token,
      refresh_token: refresh,
      team_id: workspaceId,
      user_id: userId,
      iat,
      exp: iat + ROTATING_SECONDS,
    };
  }
}
