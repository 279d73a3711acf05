import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Clock } from '../../../kernel/clock/clock.js';
import { Db } from '../../../kernel/database/db.js';
import { RestError } from '../../../kernel/http/http-error.js';
import { newUuid, sha256Hex } from '../../../kernel/ids/ids.js';
import { Door } from '../../access/access.js';
import type { Viewer } from '../../access/viewer.js';
import { isUuid } from '../../values/uuid.js';
import { ReleaseAccessKey } from './release-access-key.entity.js';
import type { CreateReleaseAccessKeyBody } from './release-access-keys.dto.js';
import { newReleaseKey, startOf } from './release-keys.js';

/** A key as its maker sees it later: without the key itself, but with its first 12 characters (`start`). */
export type ListedReleaseAccessKey = Pick<
  ReleaseAccessKey,
  'id' | 'pipelineId' | 'label' | 'start' | 'createdAt' | 'lastUsedAt'
>;

/** The caller's own keys of release pipelines of the caller's organization. */
@Injectable()
export class ReleaseAccessKeysService {
  private readonly pipelines: Door<'ReleasePipeline'>;

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
  ) {
    this.pipelines = new Door(db, 'ReleasePipeline');
  }

  /** @throws RestError 404 release_pipeline_not_found */
  create(viewer: Viewer, { pipelineId, label = '' }: CreateReleaseAccessKeyBody) {
    const { organizationId, userId } = viewer;
    return this.db.write(async (tx) => {
      const pipeline = await this.pipelines.find(viewer, pipelineId, tx, 'use');
      if (!pipeline) throw new RestError(404, 'release_pipeline_not_found');
      const [id, token, createdAt] = [newUuid(), newReleaseKey(), this.clock.now()];
      await tx.sql.insert(ReleaseAccessKey, {
        id,
        organizationId,
        pipelineId: pipeline.id,
        userId,
        label,
        hash: sha256Hex(token),
        start: startOf(token),
        createdAt,
        updatedAt: createdAt,
      });
      return { id, token, createdAt };
    });
  }

  /** Newest first. */
  list({ organizationId, userId }: Viewer): Promise<ListedReleaseAccessKey[]> {
    return this.db.load((entities) =>
      entities.find(ReleaseAccessKey, {
        select: { id: true, pipelineId: true, label: true, start: true, createdAt: true, lastUsedAt: true },
        where: { userId, organizationId, revokedAt: IsNull() },
        order: { createdAt: 'DESC', id: 'DESC' },
      }),
    );
  }

  /**
   * The key is invalid from the next call on.
   * @throws RestError 404, also for another person's key
   */
  async revoke({ organizationId, userId }: Viewer, id: string): Promise<void> {
    const own = { id, userId, organizationId, revokedAt: IsNull() };
    const revokedAt = this.clock.now();
    const revoked = isUuid(id)
      ? await this.db.write((tx) => tx.sql.update(ReleaseAccessKey, own, { revokedAt }))
      : undefined;
    if (!revoked?.affected) throw new RestError(404, 'release_access_key_not_found');
  }
}
