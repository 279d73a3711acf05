import { Injectable } from '@nestjs/common';
import type { Tx } from '../kernel/database/db.js';

/** Claims of an access token besides those of `auth`: `team_id` of the chat product, `org` of the tracker. */
export type Claims = Readonly<Record<string, unknown>>;

/** A new account as products see it at sign-up. */
export interface NewAccount {
  readonly id: string;
  readonly email: string;
  readonly realName: string;
  /** As sent; absent when none was. */
  readonly name: string | undefined;
}

/** What the caller of sign-up or login requests of the products. */
export interface SignInOptions {
  readonly teamId?: string | undefined;
}

/** A product's part of a session: claims of its token, and fields of its answer. */
export interface SessionPart {
  readonly claims: Claims;
  readonly view: Readonly<Record<string, unknown>>;
}

/** What a product adds to accounts. `auth` knows no product; each registers at start-up. */
export interface AccountProduct {
  readonly name: string;
  /**
   * In the transaction that makes the account.
   * @throws RestError, which rolls back the sign-up
   */
  onAccountCreated?(tx: Tx, account: NewAccount, options: SignInOptions): Promise<void>;
  /** In the transaction in which somebody else makes an account a member of a tenant. */
  onMemberAdded?(tx: Tx, tenantId: number, account: NewAccount): Promise<void>;
  /**
   * Before a session starts or is renewed. `kept` are the current claims of account and session.
   * @throws RestError when the account may not sign in
   */
  enter?(accountId: string, options: SignInOptions, kept: Claims): Promise<SessionPart>;
  /**
   * Whether the product has suspended the account of an access token with these claims: the token is then invalid
   * everywhere.
   */
  suspends?(accountId: string, claims: Claims): Promise<boolean>;
  /**
   * For a credential that is not an access token: why it is refused where only people are allowed, or null if it is
   * none of this product.
   */
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
    const suspensions = await Promise.all(this.all.map((product) => product.suspends?.(accountId, claims) ?? false));
    return suspensions.includes(true);
  }
}
