import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { newHex, sha256Hex } from '../../kernel/ids/ids.js';
import { AppsAccess } from '../access/apps-access.js';
import type { Identity } from '../access/identity.js';
import { InstallationEnds } from '../installing/installation-ends.js';
import { toWireInstallation, type InstallationRow } from '../installing/installation-rows.js';
import { pageValues, toPage, type Page } from '../rest/page.js';
import { App } from '../store/app.entity.js';
import { toWireApp } from '../wire/control-wire.js';
import { INSTALLATIONS_PAGE } from './registrations.queries.js';

/** How an app is registered, and where it is installed (docs/reference/installing.md#registration). */
@Injectable()
export class Registrations {
  constructor(
    private readonly db: Db,
    private readonly apps: AppsAccess,
    private readonly ends: InstallationEnds,
  ) {}

  /** The old secret stops at once. @throws RestError 404 app_not_found, 403 not_admin */
  async rotateSecret(caller: Identity, id: string): Promise<object> {
    const { workspaceId } = await this.apps.ofOwner(caller, id);
    const secret = newHex(32);
    await this.db.write((tx) => tx.sql.update(App, { workspaceId, id }, { clientSecretHash: sha256Hex(secret) }));
    return { client_secret: secret };
  }

  /** Whether it may be installed elsewhere; where it is already, it stays. @throws RestError 404 app_not_found, 403 not_admin */
  async distribute(caller: Identity, id: string, isDistributed: boolean): Promise<object> {
    const app = await this.apps.ofOwner(caller, id);
    if (isDistributed && caller.sandbox.ids) throw new RestError(400, 'not_in_own_id_space');
    const { workspaceId } = app;
    await this.db.write((tx) => tx.sql.update(App, { workspaceId, id }, { isDistributed }));
    return toWireApp({ ...app, isDistributed }, workspaceId);
  }

  /** For its creator and admins of its home. @throws RestError 404 app_not_found, 403 not_admin */
  async installations(caller: Identity, id: string, page: Page): Promise<object> {
    await this.apps.ofOwner(caller, id);
    const rows = await this.db.read<InstallationRow>(INSTALLATIONS_PAGE, [id, ...pageValues(page)]);
    return toPage('installations', rows, page, toWireInstallation);
  }

  /** @throws RestError 404 app_not_found, not_installed */
  async uninstall({ workspaceId, tenantId }: Identity, id: string): Promise<void> {
    if (!(await this.apps.find(workspaceId, id))) throw new RestError(404, 'app_not_found');
    if (!(await this.ends.end({ workspaceId, tenantId }, id, 'all'))) throw new RestError(404, 'not_installed');
  }
}
