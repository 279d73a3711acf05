import { Injectable } from '@nestjs/common';
import type { Tx } from '../kernel/database/db.js';

/** Claims of an access token beside those that `auth` knows: `team_id` of the chat product, `org` of the tracker. */
export type Claims = Readonly<Record<string, unknown>>;

/** An account as a product gets to know it at sign-up. */
export interface NewAccount {
  readonly id: string;
  readonly email: string;
  readonly realName: string;
  /** As sent; absent when none was. */
  readonly name: string | undefined;
}

/** What the caller of sign-up or login asked of the products. */
export interface SignInOptions {
  readonly teamId?: string | undefined;
}

/** A product's part of a session: what goes into its token, and what its answer shows. */
export interface SessionPart {
  readonly claims: Claims;
  readonly view: Readonly<Record<string, unknown>>;
}

/** What a product adds to accounts. `auth` knows none of them; each joins at start-up. */
export interface AccountProduct {
  readonly name: string;
  /** In the transaction that makes the account. @throws RestError, which undoes the sign-up */
  onAccountCreated?(tx: Tx, account: NewAccount, options: SignInOptions): Promise<void>;
  /** In the transaction in which an account becomes a member of a tenant by somebody else's doing. */
  onMemberAdded?(tx: Tx, tenantId: number, account: NewAccount): Promise<void>;
  /**
   * Before a session begins or goes on. `kept` are the claims that account and session had so far.
   * @throws RestError when the account cannot come in
   */
  enter?(accountId: string, options: SignInOptions, kept: Claims): Promise<SessionPart>;
  /** Whether the product has suspended the account that an access token with these claims is for: it is dead everywhere. */
  suspends?(accountId: string, claims: Claims): Promise<boolean>;
  /** A credential that is no access token: why it is refused where only people are let in, or null for one of no product. */
  refusal?(credential: string): Promise<Error | null>;
}

/** The products that take part in sign-up and login. */
@Injectable()
export class AccountProducts {
  readonly all: AccountProduct[] = [];

  register(product: AccountProduct): void {
    this.all.push(product);
  }

  /** Whether any product says so. */
  async suspend(accountId: string, claims: Claims): Promise<boolean> {
    const said = await Promise.all(this.all.map((product) => product.suspends?.(accountId, claims) ?? false));
    return said.includes(true);
  }
}
