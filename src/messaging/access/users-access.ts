import { Injectable } from '@nestjs/common';
import { Db, type Tx } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';
import type { Identity } from './identity.js';

/** What other families need to know of a user. */
export interface UserFacts {
  readonly id: string;
  readonly name: string;
  readonly isBot: boolean;
  readonly isDeleted: boolean;
}

const USER_FACTS = statement(
  'chat_user_facts',
  `SELECT id, name, is_bot AS "isBot", deleted_at IS NOT NULL AS "isDeleted" FROM users
   WHERE workspace_id = $1 AND id = ANY($2::text[])`,
);

/** The door to users: those of the caller's own workspace. */
@Injectable()
export class UsersAccess {
  constructor(private readonly db: Db) {}

  /** By id; ids that are no user of the workspace are missing from the answer. */
  async facts(caller: Pick<Identity, 'workspaceId'>, ids: readonly string[], tx?: Tx): Promise<Map<string, UserFacts>> {
    const values = [caller.workspaceId, [...ids]];
    const rows = tx ? await tx.query<UserFacts>(USER_FACTS, values) : await this.db.read<UserFacts>(USER_FACTS, values);
    return new Map(rows.map((row) => [row.id, row]));
  }
}
