import { Injectable } from '@nestjs/common';
import { Db, type Tx } from '../../kernel/database/db.js';
import type { Identity } from './identity.js';
import { USER_FACTS } from './users-access.queries.js';

/** The user's fields that other families need. */
export interface UserFacts {
  readonly id: string;
  readonly name: string;
  readonly isBot: boolean;
  readonly isDeleted: boolean;
}

/** Access to users: those of the caller's own workspace. */
@Injectable()
export class UsersAccess {
  constructor(private readonly db: Db) {}

  /** By id; ids without a user in the workspace are missing from the result. */
  async facts(caller: Pick<Identity, 'workspaceId'>, ids: readonly string[], tx?: Tx): Promise<Map<string, UserFacts>> {
    const values = [caller.workspaceId, [...ids]];
    const rows = tx ? await tx.query<UserFacts>(USER_FACTS, values) : await this.db.read<UserFacts>(USER_FACTS, values);
    return new Map(rows.map((row) => [row.id, row]));
  }
}
