import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';
import { RestError } from '../../kernel/http/http-error.js';
import { TrackerSetup, type NewApiKey } from '../provisioning/setup.js';
import { isUuid } from '../values/uuid.js';
import type { Viewer } from '../access/viewer.js';

const LIST = statement(
  'tracker_list_api_keys',
  `SELECT id, label, start, created_at AS "createdAt", last_used_at AS "lastUsedAt" FROM api_keys
   WHERE user_id = $1 AND organization_id = $2 AND revoked_at IS NULL ORDER BY created_at DESC, id DESC`,
);

const REVOKE = statement(
  'tracker_revoke_api_key',
  `UPDATE api_keys SET revoked_at = $4 WHERE id = $1 AND user_id = $2 AND organization_id = $3 AND revoked_at IS NULL
   RETURNING id`,
);

/** A key as its owner sees it again: never the key itself. */
export interface ListedApiKey {
  readonly id: string;
  readonly label: string;
  /** The first 12 characters. */
  readonly start: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

/** The caller's own keys of the caller's organization. */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly db: Db,
    private readonly setup: TrackerSetup,
    private readonly clock: Clock,
  ) {}

  create({ organizationId, userId }: Viewer, label: string): Promise<NewApiKey> {
    return this.db.write(async (tx) => {
      const made = await this.setup.createApiKey(tx, { organizationId, userId, label });
      if (!made) throw new Error('a random key was made twice');
      return made;
    });
  }

  /** Newest first. */
  list({ organizationId, userId }: Viewer): Promise<ListedApiKey[]> {
    return this.db.read<ListedApiKey & { [column: string]: unknown }>(LIST, [userId, organizationId]);
  }

  /** The key is dead from the next call on. @throws RestError 404, also for another user's key */
  async revoke({ organizationId, userId }: Viewer, id: string): Promise<void> {
    const revoked = isUuid(id) ? await this.db.run(REVOKE, [id, userId, organizationId, this.clock.now()]) : [];
    if (revoked.length === 0) throw new RestError(404, 'api_key_not_found');
  }
}
