import { Injectable } from '@nestjs/common';
import { Db, type Tx } from '../../kernel/database/db.js';
import type { Identity } from './identity.js';
import { USER_FACTS } from './users-access.queries.js';

/** What other families need to know of a user. */
export interface UserFacts {
  readonly id: string;
  readonly name: string;
  readonly isBot: boolean;
  readonly isDeleted: boolean;
}

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
