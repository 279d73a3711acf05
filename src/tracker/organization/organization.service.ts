import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { Access } from '../access/access.js';
import { duplicate, forbidden } from '../values/errors.js';
import { mutate } from '../store/mutation.js';
import { Organization } from './organization.entity.js';
import { differences } from '../store/differences.js';
import type { Viewer } from '../access/viewer.js';
import { organizationUpdated } from './organization.events.js';
import type { OrganizationUpdateInput } from './organization.inputs.js';

/** Taken anew or ours already; nothing when it is another organization's, current or previous. */
const TAKE_URL_KEY = statement(
  'tracker_change_url_key',
  `INSERT INTO organization_url_keys AS k (url_key, organization_id) VALUES ($1, $2)
   ON CONFLICT (url_key) DO UPDATE SET organization_id = k.organization_id WHERE k.organization_id = excluded.organization_id
   RETURNING url_key`,
);

const FREE_URL_KEYS = statement(
  'tracker_free_url_keys',
  `DELETE FROM organization_url_keys WHERE organization_id = $1 AND url_key <> ALL($2::text[])`,
);

const EXISTS = statement('tracker_url_key_exists', 'SELECT 1 FROM organizations WHERE url_key = $1');

/** How many keys an organization keeps after giving them up. */
const PREVIOUS_KEYS = 3;

@Injectable()
export class OrganizationService {
  constructor(
    private readonly db: Db,
    private readonly access: Access,
    private readonly clock: Clock,
    private readonly publicUrl: PublicUrl,
  ) {}

  /** Whether an organization, anybody's, now has this url key. */
  async exists(urlKey: string): Promise<boolean> {
    return (await this.db.read(EXISTS, [urlKey.toLowerCase()])).length > 0;
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
      tx.record(organizationUpdated({ viewer, web: this.publicUrl.base, at }, before, after));
      return { organization: after };
    });
  }

  /** Answers the previous keys, newest first, once `urlKey` is the current one. */
  private async takeUrlKey(tx: Tx, organization: Organization, urlKey: string): Promise<string[]> {
    const taken = await tx.query(TAKE_URL_KEY, [urlKey, organization.id]);
    if (taken.length === 0) throw duplicate('url key', urlKey);
    const previous = [organization.urlKey, ...organization.previousUrlKeys]
      .filter((key) => key !== urlKey)
      .slice(0, PREVIOUS_KEYS);
    await tx.query(FREE_URL_KEYS, [organization.id, [urlKey, ...previous]]);
    return previous;
  }
}
