import { Injectable } from '@nestjs/common';
import { In, IsNull, Not } from 'typeorm';
import { Clock } from '../../kernel/clock/clock.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { insertUnlessTaken } from '../../kernel/database/insert-unless-taken.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { Access } from '../access/access.js';
import { duplicate, forbidden } from '../values/errors.js';
import { mutate } from '../events/mutation.js';
import { Organization } from '../store/organization.entity.js';
import { OrganizationUrlKey } from '../store/url-key.entity.js';
import { differences } from '../store/differences.js';
import type { Viewer } from '../access/viewer.js';
import { organizationUpdated } from './organization.events.js';
import type { OrganizationUpdateInput } from './organization.inputs.js';
import { webFor } from '../values/urls.js';

/** How many previous keys an organization keeps. */
const PREVIOUS_KEYS = 3;

@Injectable()
export class OrganizationService {
  constructor(
    private readonly db: Db,
    private readonly access: Access,
    private readonly clock: Clock,
    private readonly publicUrl: PublicUrl,
  ) {}

  /** Whether any organization now has this url key. */
  async exists(urlKey: string): Promise<boolean> {
    return this.db.load((entities) =>
      entities.existsBy(Organization, { urlKey: urlKey.toLowerCase(), hasOwnIds: IsNull() }),
    );
  }

  /** @throws forbidden; duplicate `url key` */
  update(viewer: Viewer, input: OrganizationUpdateInput) {
    if (!viewer.admin) throw forbidden('You need to be an admin to change the organization.');
    return mutate(this.db, viewer, async (tx) => {
      const before = await this.access.organizationForUpdate(tx, viewer);
      const change: Partial<Organization> = differences(before, input as Partial<Organization>);
      if (Object.keys(change).length === 0) return { organization: before };
      if (change.urlKey !== undefined) change.previousUrlKeys = await this.takeUrlKey(tx, before, change.urlKey);
      const at = this.clock.now();
      const values = { ...change, updatedAt: at };
      await tx.sql.update(Organization, { id: before.id }, values);
      const after = { ...before, ...values };
      tx.record(organizationUpdated({ viewer, web: webFor(this.publicUrl.base, viewer), at }, before, after));
      return { organization: after };
    });
  }

  /** Answers the previous keys, newest first, once `urlKey` is the current one. */
  private async takeUrlKey(tx: Tx, organization: Organization, urlKey: string): Promise<string[]> {
    const organizationId = organization.id;
    const previous = [organization.urlKey, ...organization.previousUrlKeys]
      .filter((key) => key !== urlKey)
      .slice(0, PREVIOUS_KEYS);
    if (organization.hasOwnIds) return previous;
    // just taken or ours already; else it is another organization's, current or previous
    const isTaken = (await insertUnlessTaken(tx, OrganizationUrlKey, { urlKey, organizationId })) !== undefined;
    if (!isTaken && !(await tx.sql.existsBy(OrganizationUrlKey, { urlKey, organizationId }))) {
      throw duplicate('url key', urlKey);
    }
    await tx.sql.delete(OrganizationUrlKey, { organizationId, urlKey: Not(In([urlKey, ...previous])) });
    return previous;
  }
}
