import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { InstallationTold } from '../../kernel/sandbox/installation-told.js';
import { SentOnce } from '../../webhooks/sent-once.js';
import { appUninstalled, tokensRevoked } from '../events/app-events.js';
import { App } from '../store/app.entity.js';
import { IncomingWebhook } from '../store/incoming-webhook.entity.js';
import { formatTs } from '../store/message-ts.js';
import { SlashCommand } from '../store/slash-command.entity.js';
import { User } from '../store/user.entity.js';
import { Installations, type WorkspaceOfTenant } from './installations.js';
import { LEAVE_ALL, PEOPLE_OF_APP, PLACES_OF_APP, REVOKE_HALVES } from './installing.queries.js';

/** Which halves end. */
export type Halves = 'all' | { readonly userId: string };

/** Takes apps out of workspaces (docs/reference/installing.md#ends). */
@Injectable()
export class InstallationEnds {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly installations: Installations,
    private readonly told: InstallationTold,
    private readonly sent: SentOnce,
  ) {}

  /**
   * Ends halves of an installation; the last one takes with it what the manifest brought along. The app is told of it by
   * one attempt. @returns false where there was nothing to end
   */
  async end(place: WorkspaceOfTenant, appId: string, halves: Halves): Promise<boolean> {
    const { workspaceId } = place;
    const ended = await this.db.write(async (tx) => {
      const app = await this.installations.lock(tx, workspaceId, appId);
      if (!app || app.installedAt === null) return null;
      const isLast = await this.endHalves(tx, place, app, halves);
      if (isLast) await tx.sql.update(App, { workspaceId, id: appId }, { installedAt: null });
      return { isLast, ids: tx.events.map(({ recorded }) => recorded) };
    });
    if (!ended) return false;
    if (ended.isLast) {
      await this.sent.until(ended.ids.map(({ id }) => id));
      await this.db.write(async (tx) => {
        const app = await this.installations.lock(tx, workspaceId, appId);
        // it may be installed again by now
        if (app?.installedAt === null) await this.removeParts(tx, workspaceId, appId);
      });
    }
    return true;
  }

  /** The registration goes, and with it the app everywhere: its tokens answer account_inactive, its messages stay. */
  async remove(appId: string): Promise<void> {
    const places = await this.db.read<WorkspaceOfTenant & Record<string, unknown>>(PLACES_OF_APP, [appId]);
    for (const place of places) await this.end(place, appId, 'all');
    for (const place of places) await this.removeFrom(place, appId);
  }

  /** An app's row in one workspace, and all that hangs on it. */
  async removeFrom({ workspaceId, tenantId }: WorkspaceOfTenant, appId: string): Promise<void> {
    await this.db.write(async (tx) => {
      const app = await this.installations.lock(tx, workspaceId, appId);
      if (!app) return;
      // its registration is gone, and with it who would be told by an event
      if (app.installedAt !== null) this.tellEnd(tx, tenantId, app, null);
      await this.removeParts(tx, workspaceId, appId);
      await tx.sql.delete(IncomingWebhook, { workspaceId, appId });
      await this.removeBot(tx, app);
      await tx.sql.delete(App, { workspaceId, id: appId });
    });
  }

  private async endHalves(tx: Tx, place: WorkspaceOfTenant, app: App, halves: Halves): Promise<boolean> {
    const { workspaceId } = place;
    const { id: appId, botUserId } = app;
    const people = (await tx.query<{ userId: string }>(PEOPLE_OF_APP, [workspaceId, appId, botUserId])).map(
      ({ userId }) => userId,
    );
    const hasBot = app.botState === 'live';
    const endsBot = hasBot && (halves === 'all' || halves.userId === botUserId);
    const endingPeople = people.filter((userId) => halves === 'all' || halves.userId === userId);
    if (!endsBot && endingPeople.length === 0 && halves !== 'all') return false;
    const isLast = endingPeople.length === people.length && (endsBot || !hasBot);
    const named = halves === 'all' ? null : [halves.userId];
    await tx.query(REVOKE_HALVES, [workspaceId, appId, named]);
    if (endsBot) {
      await this.removeBot(tx, app);
      await tx.sql.update(App, { workspaceId, id: appId }, { botState: 'ended' });
      await tx.sql.delete(IncomingWebhook, { workspaceId, appId, isOfInstallation: true });
      if (people.length === endingPeople.length) await tx.sql.delete(SlashCommand, { workspaceId, appId });
    }
    const at = { ...place, appId, eventTs: formatTs(this.clock.nowMicros()) };
    this.tellEnd(tx, place.tenantId, app, halves === 'all' || endsBot ? null : halves.userId);
    if (isLast) tx.record(appUninstalled(at));
    if (endsBot || endingPeople.length > 0)
      tx.record(tokensRevoked({ ...at, userIds: endingPeople, botUserIds: endsBot ? [botUserId] : [] }));
    return isLast;
  }

  private tellEnd(tx: Tx, tenantId: number, { id, name }: App, user: string | null): void {
    this.told.tellAfter(tx, { tenantId, kind: 'uninstall', product: 'chat', app_id: id, app: name, user });
  }

  private async removeBot(tx: Tx, { workspaceId, botUserId }: App): Promise<void> {
    const gone = { deletedAt: () => 'now()', updatedAt: this.clock.nowMicros() };
    await tx.sql.update(User, { workspaceId, id: botUserId }, gone);
    await tx.query(LEAVE_ALL, [workspaceId, botUserId]);
  }

  private async removeParts(tx: Tx, workspaceId: string, appId: string): Promise<void> {
    await this.installations.removeTargets(tx, workspaceId, appId, null);
    await tx.sql.delete(SlashCommand, { workspaceId, appId });
  }
}
