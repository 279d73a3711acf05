import { Injectable } from '@nestjs/common';
import { Clock } from '../kernel/clock/clock.js';
import { Db, type Tx } from '../kernel/database/db.js';
import { sha256Hex } from '../kernel/ids/ids.js';
import { SandboxResets } from '../kernel/sandbox/sandbox-resets.js';
import { ConsentProducts, type Granted } from './consent-product.js';
import { OauthCode } from './oauth-code.entity.js';
import { dropOfTenant } from './oauth-codes.queries.js';

/** How long a code may be redeemed, by the sandbox's clock. */
const CODE_SECONDS = 600;

/** Codes of both products, known by their hashes. */
@Injectable()
export class OauthCodes {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    products: ConsentProducts,
    resets: SandboxResets,
  ) {
    resets.onReset(async (tx, tenantId) => {
      await tx.query(dropOfTenant(products.accountsOf('$1')), [tenantId]);
    });
  }

  async store(tx: Tx, code: string, { tenantId, homeId, clientId, kind, consent, time }: Granted): Promise<void> {
    const now = this.clock.within(time, () => this.clock.nowMicros());
    const expiresAt = now + CODE_SECONDS * 1e6;
    await tx.sql.insert(OauthCode, {
      hash: sha256Hex(code),
      tenantId,
      homeId,
      clientId,
      kind,
      consent: consent as object,
      expiresAt,
    });
  }

  find(code: string): Promise<OauthCode | null> {
    return this.db.load((entities) => entities.findOneBy(OauthCode, { hash: sha256Hex(code) }));
  }

  /** Locked until the transaction ends: of several that redeem it at once, one sees it as good. */
  lock(tx: Tx, code: string): Promise<OauthCode | null> {
    return tx.sql.findOne(OauthCode, { where: { hash: sha256Hex(code) }, lock: { mode: 'pessimistic_write' } });
  }

  async redeemed(tx: Tx, { hash }: OauthCode): Promise<void> {
    await tx.sql.update(OauthCode, { hash }, { isRedeemed: true });
  }
}
