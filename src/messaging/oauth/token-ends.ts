import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Clock } from '../../kernel/clock/clock.js';
import { Db } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { InstallationEnds } from '../installing/installation-ends.js';
import { Token } from '../store/token.entity.js';
import { CHOSEN_TOKENS, type ChosenToken } from './installable-chat.queries.js';

/** Which tokens: one, or those of an app of a kind. */
type Choice =
  | { readonly hash: string }
  | { readonly app: string | undefined; readonly kind: keyof typeof KINDS; readonly userId: string | undefined };

/** The stored kinds that a kind means. */
const KINDS = {
  bot: ['bot'],
  user: ['user'],
  access: ['bot', 'user', 'openid'],
  refresh: ['refresh', 'openid_refresh'],
  config: ['config', 'config_refresh'],
} as const;

/** Ends tokens for tests (docs/reference/installing.md#for-tests). */
@Injectable()
export class TokenEnds {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly ends: InstallationEnds,
  ) {}

  /** In the sandbox's time. Returns how many tokens ended. @throws RestError 404 token_not_found */
  async end(tenantId: number, how: 'expire' | 'revoke', choice: Choice): Promise<number> {
    const named = 'hash' in choice ? { hash: choice.hash } : choice;
    const values =
      'hash' in named
        ? [named.hash, null, null, null]
        : [null, named.app ?? null, KINDS[named.kind], named.userId ?? null];
    const chosen = await this.db.read<ChosenToken>(CHOSEN_TOKENS, [tenantId, ...values, this.clock.nowMicros()]);
    if (chosen.length === 0) throw new RestError(404, 'token_not_found');
    if (how === 'expire') await this.expire(chosen);
    else await this.revoke(tenantId, chosen);
    return chosen.length;
  }

  private async expire(chosen: readonly ChosenToken[]): Promise<void> {
    const expiresAt = this.clock.nowMicros();
    await this.db.write((tx) => tx.sql.update(Token, { hash: In(chosen.map(({ hash }) => hash)) }, { expiresAt }));
  }

  /** A long-lived token takes its half with it; any other ends alone. */
  private async revoke(tenantId: number, chosen: readonly ChosenToken[]): Promise<void> {
    const hashes = chosen.map(({ hash }) => hash);
    const isOfHalf = ({ kind, expiresAt }: ChosenToken): boolean =>
      (kind === 'bot' || kind === 'user') && expiresAt === null;
    const halves = new Map(chosen.filter(isOfHalf).map((token) => [`${token.appId} ${token.userId}`, token]));
    for (const { workspaceId, appId, userId } of halves.values()) {
      await this.ends.end({ workspaceId, tenantId }, appId, { userId });
    }
    await this.db.write((tx) =>
      tx.sql.update(Token, { hash: In(hashes) }, { revokedAt: () => 'coalesce(revoked_at, now())' }),
    );
  }
}
