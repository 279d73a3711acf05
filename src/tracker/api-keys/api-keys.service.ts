import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Clock } from '../../kernel/clock/clock.js';
import { Db } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { TrackerSetup, type NewApiKey } from '../provisioning/setup.js';
import { isUuid } from '../values/uuid.js';
import type { Viewer } from '../access/viewer.js';
import { ApiKey } from './api-key.entity.js';

/** A key as its owner sees it later: without the key itself, but with its first 12 characters (`start`). */
export type ListedApiKey = Pick<ApiKey, 'id' | 'label' | 'start' | 'createdAt' | 'lastUsedAt'>;

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
    return this.db.load((entities) =>
      entities.find(ApiKey, {
        select: { id: true, label: true, start: true, createdAt: true, lastUsedAt: true },
        where: { userId, organizationId, revokedAt: IsNull() },
        order: { createdAt: 'DESC', id: 'DESC' },
      }),
    );
  }

  /**
   * The key is invalid from the next call on.
   * @throws RestError 404, also for another user's key
   */
  async revoke({ organizationId, userId }: Viewer, id: string): Promise<void> {
    const own = { id, userId, organizationId, revokedAt: IsNull() };
    const revokedAt = this.clock.now();
    const revoked = isUuid(id) ? await this.db.write((tx) => tx.sql.update(ApiKey, own, { revokedAt })) : undefined;
    if (!revoked?.affected) throw new RestError(404, 'api_key_not_found');
  }
}
