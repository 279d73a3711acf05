import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import type { Tx } from '../../kernel/database/db.js';
import { newId } from '../../kernel/ids/ids.js';
import { DeliveryEngine } from '../../webhooks/delivery-engine.js';
import { EventTarget } from '../events/event-target.entity.js';
import { createFreeParts } from '../provisioning/app-parts.js';
import type { AppManifest } from '../store/app-manifest.js';
import { WorkspaceSetup } from '../provisioning/workspace-setup.js';
import { App, type SocketMode } from '../store/app.entity.js';
import { NewMembers } from '../members/new-members.js';
import { User } from '../store/user.entity.js';
import { ADD_GUEST, RESCOPE_HALF, SCOPES_OF_HALF, TARGETS } from './installing.queries.js';

/** A workspace, and the tenant it belongs to. */
export interface WorkspaceOfTenant {
  readonly workspaceId: string;
  readonly tenantId: number;
}

/** What somebody has consented to. */
export interface Consent {
  readonly appId: string;
  readonly userId: string;
  /** Scopes of the bot and of the person; none: no such half. */
  readonly bot: readonly string[];
  readonly user: readonly string[];
}

/** The halves of an installation, with all scopes that they hold now. */
export interface Installed {
  readonly app: App;
  readonly bot: readonly string[];
  readonly user: readonly string[];
  /** It was installed already. */
  readonly again: boolean;
}

export const union = (first: readonly string[], second: readonly string[]): string[] => [
  ...new Set([...first, ...second]),
];

/** Puts apps into workspaces (docs/reference/installing.md#what-the-exchange-does). */
@Injectable()
export class Installations {
  constructor(
    private readonly clock: Clock,
    private readonly setup: WorkspaceSetup,
    private readonly newMembers: NewMembers,
    private readonly engine: DeliveryEngine,
  ) {}

  /** The app's row in a workspace, locked until the transaction ends; null where it has never been there. */
  async lock(tx: Tx, workspaceId: string, appId: string): Promise<App | null> {
    return tx.sql.findOne(App, { where: { workspaceId, id: appId }, lock: { mode: 'pessimistic_write' } });
  }

  /**
   * Makes or extends the halves that were consented to, but for their tokens. Null: the app is gone.
   */
  async install(tx: Tx, place: WorkspaceOfTenant, consent: Consent): Promise<Installed | null> {
    const { workspaceId } = place;
    const now = this.clock.nowMicros();
    await tx.query(ADD_GUEST, [consent.appId, workspaceId, newId('B'), newId('U'), now]);
    const app = await this.lock(tx, workspaceId, consent.appId);
    if (!app) return null;
    const again = app.installedAt !== null;
    const bot = consent.bot.length > 0 ? await this.installBot(tx, place, app, consent.bot) : [];
    const user = consent.user.length > 0 ? await this.extendUser(tx, workspaceId, consent) : [];
    if (!again) {
      await this.removeTargets(tx, workspaceId, app.id, null);
      await createFreeParts(tx, workspaceId, { ...partsOf(app), createdAt: now }, false);
      await tx.sql.update(App, { workspaceId, id: app.id }, { installedAt: now });
    }
    return { app, bot, user, again };
  }

  /** Its targets get nothing any more. @param url only this one and the sockets; null: all */
  async removeTargets(tx: Tx, workspaceId: string, appId: string, url: string | null): Promise<void> {
    const ids = (await tx.query<{ id: string }>(TARGETS, [workspaceId, appId, url])).map((target) => target.id);
    if (ids.length === 0) return;
    await tx.sql.delete(EventTarget, ids);
    await this.engine.remove(tx, ids);
  }

  private async installBot(tx: Tx, place: WorkspaceOfTenant, app: App, asked: readonly string[]): Promise<string[]> {
    const { workspaceId } = place;
    const scopes = app.botState === 'live' ? union(app.botScopes, asked) : [...asked];
    if (app.botState === 'none') {
      await this.setup.addBot(tx, workspaceId, partsOf(app), false);
      await this.newMembers.recordJoined(tx, { id: workspaceId, tenantId: place.tenantId }, app.botUserId);
    } else if (app.botState === 'ended') {
      const revived = { deletedAt: null, updatedAt: this.clock.nowMicros() };
      await tx.sql.update(User, { workspaceId, id: app.botUserId }, revived);
    }
    // it is installed again for what it holds already, most of the time
    if (app.botState !== 'live' || scopes.length > app.botScopes.length)
      await tx.sql.update(App, { workspaceId, id: app.id }, { botState: 'live', botScopes: scopes });
    await tx.query(RESCOPE_HALF, [workspaceId, app.id, app.botUserId, scopes]);
    return scopes;
  }

  private async extendUser(tx: Tx, workspaceId: string, { appId, userId, user }: Consent): Promise<string[]> {
    const [before] = await tx.query<{ scopes: string[] }>(SCOPES_OF_HALF, [workspaceId, appId, userId]);
    const scopes = union(before?.scopes ?? [], user);
    if (before) await tx.query(RESCOPE_HALF, [workspaceId, appId, userId, scopes]);
    return scopes;
  }
}

/** A stored row as what makes bots and parts of a manifest takes it; secrets are not read there. */
export const partsOf = (app: App): App & { manifest: AppManifest; socketMode: SocketMode } =>
  app as App & { manifest: AppManifest; socketMode: SocketMode };
