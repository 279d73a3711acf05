import { Account } from './account.entity.js';
import { Injectable } from '@nestjs/common';
import { Db, type Tx } from '../kernel/database/db.js';
import { insertUnlessTaken } from '../kernel/database/insert-unless-taken.js';
import { ownIds } from '../kernel/clock/request-sandbox.js';
import { newId } from '../kernel/ids/ids.js';
import type { Claims } from './account-products.js';
import { INSERT_ACCOUNTS, ACCOUNT_BY_EMAIL, REMEMBER_CLAIMS } from './accounts.queries.js';

/** The columns that a login needs. */
export interface AccountSecrets {
  readonly id: string;
  readonly passwordHash: string | null;
  readonly claims: Claims;
  readonly deactivated: boolean;
}

/** People who can sign in, and people made for tests, who cannot. Bots have no account. */
@Injectable()
export class Accounts {
  constructor(private readonly db: Db) {}

  /** Addresses compare case-insensitively. */
  async findByEmail(email: string): Promise<AccountSecrets | undefined> {
    const [row] = await this.db.read<AccountSecrets & { [column: string]: unknown }>(ACCOUNT_BY_EMAIL, [
      email.toLowerCase(),
    ]);
    return row;
  }

  /** Claims of every later session of the account; a null removes one. */
  async remember(tx: Tx, id: string, claims: Claims): Promise<void> {
    await tx.query(REMEMBER_CLAIMS, [id, JSON.stringify(claims)]);
  }

  /**
   * Stores an account; its id is its user id in every workspace. Null when the address is in use.
   * @param input.email stored in lower case
   * @param input.passwordHash null: cannot log in
   */
  async create(
    tx: Tx,
    input: { email: string; passwordHash: string | null; realName: string },
  ): Promise<string | null> {
    const values = { ...input, id: newId('U'), email: addressOf(input.email) };
    return (await insertUnlessTaken(tx, Account, values)) ? values.id : null;
  }

  /** The same for many at once, with the claims of their sessions. Returns the ids of those whose address was free. */
  async createAll(
    tx: Tx,
    people: readonly {
      readonly id: string;
      readonly email: string;
      readonly passwordHash: string | null;
      readonly realName: string;
    }[],
    claims: Claims,
  ): Promise<ReadonlySet<string>> {
    if (people.length === 0) return new Set();
    const rows = people.map(({ id, email, passwordHash, realName }) => ({
      id,
      email: addressOf(email),
      password_hash: passwordHash,
      real_name: realName,
      claims,
    }));
    const stored = await tx.query<{ id: string }>(INSERT_ACCOUNTS, [JSON.stringify(rows)]);
    return new Set(stored.map(({ id }) => id));
  }

  /** False when another account uses the address; the transaction cannot continue then. Stored in lower case. */
  async changeEmail(tx: Tx, id: string, email: string): Promise<boolean> {
    try {
      await tx.sql.update(Account, { id }, { email: addressOf(email) });
      return true;
    } catch (error) {
      if ((error as { constraint?: string }).constraint === 'accounts_email') return false;
      throw error;
    }
  }
}

/** In lower case; null in a sandbox with ids of its own, where nobody signs in by an address, so that any may be there. */
const addressOf = (email: string): string | null => (ownIds() ? null : email.toLowerCase());
