import { statement } from '../kernel/database/statement.js';
import { BATCH, type RemovalStep } from '../kernel/tenancy/removal-steps.queries.js';

/* Hand-written: claims go in batches, so that no statement takes long. */

/** What names a product in a session, and whose it is there. */
export interface ForgottenClaim {
  readonly claim: 'team_id' | 'org';
  /** As SQL: rows with the accounts of those who go. */
  readonly people: string;
  /** The column with the account. */
  readonly account: string;
  /** Which of the people. */
  readonly where: string;
  /** The claim as it is stored: a condition on `t.claims ->> '<claim>'`. */
  readonly named: string;
}

/** Claims of people's accounts and sessions that name what goes; who they are elsewhere stays. */
export const forgetClaims = ({ claim, people, account, where, named }: ForgottenClaim): RemovalStep[] =>
  (
    [
      ['account', 'accounts', 'id'],
      ['session', 'sessions', 'account_id'],
    ] as const
  ).map(([name, table, key]) => [
    statement(
      `tenants_removal_${name}_${claim}`,
      `UPDATE ${table} SET claims = claims - '${claim}'
     WHERE ctid = ANY(ARRAY(SELECT t.ctid FROM ${people} JOIN ${table} t ON t.${key} = ${account}
                            WHERE ${where} AND t.claims ->> '${claim}' ${named} LIMIT ${BATCH}))
     RETURNING 1`,
    ),
  ]);
