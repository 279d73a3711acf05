import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { KnownNames, type NamesOfProduct } from '../../kernel/sandbox/known-names.js';
import { NOTIFICATION_TYPES } from '../events/notification-types.js';
import { Organization } from '../store/organization.entity.js';
import { OauthApplication } from '../store/oauth-application.entity.js';

/** What faults and delivery rules may name of applications: the calls of OAuth, the applications, and what they are told. */
@Injectable()
export class OauthNames implements NamesOfProduct {
  constructor(
    private readonly db: Db,
    names: KnownNames,
  ) {
    names.register(this);
  }

  methods(): readonly string[] {
    return ['oauth/authorize', 'oauth/token', 'oauth/revoke'];
  }

  events(): readonly string[] {
    return [...APPLICATION_EVENTS];
  }

  async apps(tenantId: number): Promise<readonly string[]> {
    const found = await this.db.load(async (entities) => {
      const organization = await entities.findOneBy(Organization, { tenantId });
      return organization ? entities.findBy(OauthApplication, { organizationId: organization.id }) : [];
    });
    return found.flatMap(({ id, name }) => [id, name]);
  }

  targets(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }
}

const APPLICATION_EVENTS = [
  'OAuthApp.revoked',
  'PermissionChange.teamAccessChanged',
  ...Object.keys(NOTIFICATION_TYPES).map((action) => `AppUserNotification.${action}`),
];
