import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { Db } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { newHex } from '../../kernel/ids/ids.js';
import { DeliveryEngine } from '../../webhooks/delivery-engine.js';
import { AppsAccess, type App } from '../access/apps-access.js';
import { MessagingError } from '../wire/codes.js';
import { ConversationAccess } from '../access/conversation-access.js';
import { wantedEvents } from '../events/event-names.js';
import { EventTarget as EventTargetRow } from '../events/event-target.entity.js';
import { insertTarget } from '../events/event-targets.js';
import type { Identity } from '../access/identity.js';
import { requireOwner } from '../rest/ownership.js';
import { pageValues, toPage, type Page } from '../rest/page.js';
import { WorkspaceCounts } from '../provisioning/workspace-counts.js';
import { Handshakes } from '../rest/handshakes.js';
import { UrlVerification } from '../rest/url-verification.js';
import type { OutgoingWebhookBody, SubscribeBody } from './webhooks.dto.js';
import {
  OUTGOING_PAGE,
  SUBSCRIPTIONS_PAGE,
  SUBSCRIPTION_FOR_UPDATE,
  TARGET_BY_ID,
  type EventTarget,
} from './webhooks.queries.js';

type Row = EventTarget & { [column: string]: unknown };

/**
 * Outgoing webhooks and event subscriptions: URLs to which events are sent
 * (docs/reference/control-plane.md#outgoing-webhooks, #event-subscriptions).
 */
@Injectable()
export class EventTargets {
  constructor(
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly engine: DeliveryEngine,
    private readonly counts: WorkspaceCounts,
    private readonly handshakes: Handshakes,
    private readonly apps: AppsAccess,
    private readonly conversations: ConversationAccess,
    private readonly verification: UrlVerification,
  ) {}

  /**
   * For a bot it receives what its app's subscriptions would.
   * @throws MessagingError channel_not_found; RestError 409 too_many_outgoing_webhooks
   */
  async createOutgoing(caller: Identity, body: OutgoingWebhookBody): Promise<object> {
    const conversation =
      body.channel === undefined || body.channel === null
        ? null
        : await this.conversations.findByIdOrName(caller, body.channel);
    if (body.channel && !conversation) throw new MessagingError('channel_not_found');
    const secret = body.secret ?? newHex(32);
    const id = await this.db.write(async (tx) => {
      const made = await insertTarget(tx, {
        workspaceId: caller.workspaceId,
        url: body.url,
        names: body.events ?? undefined,
        creatorId: caller.userId,
        createdAt: this.clock.nowMicros(),
        hook: {
          name: body.name ?? '',
          secret,
          conversationId: conversation?.id ?? null,
          scopedAppId: caller.kind === 'bot' ? caller.app?.id : undefined,
        },
      });
      await this.counts.check(tx, caller.workspaceId, 'outgoing_webhooks');
      return made;
    });
    return { ...showOutgoing(await this.find(caller, id)), secret };
  }

  async listOutgoing(caller: Identity, page: Page): Promise<object> {
    const rows = await this.db.read<Row>(OUTGOING_PAGE, [caller.workspaceId, ...pageValues(page)]);
    return toPage('webhooks', rows, page, showOutgoing);
  }

  /** @throws RestError 404 webhook_not_found, 403 not_admin */
  async removeOutgoing(caller: Identity, id: string): Promise<void> {
    const hook = await this.load(caller, id);
    if (!hook || hook.appId !== null) throw new RestError(404, 'webhook_not_found');
    requireOwner(caller, { creatorId: hook.creatorId });
    await this.remove(id);
  }

  /**
   * The handshake comes first, outside any transaction. The same app and URL again replaces the list of events and
   * enables the target afresh.
   * @throws RestError 404 app_not_found, 403 not_admin, 409 too_many_subscriptions; 400 url_verification_failed where it
   *   is required
   */
  async subscribe(caller: Identity, body: SubscribeBody): Promise<{ created: boolean; subscription: object }> {
    const app = await this.apps.of(caller, body.app_id);
    const url = body.request_url;
    const reason = await this.verification.failureOf(url, app, app.workspaceId);
    if (reason !== undefined && this.settings.eventsRequireVerification) {
      this.verification.tell(reason, { url });
      throw new RestError(400, 'url_verification_failed');
    }
    const { id, created } = await this.store(caller, app, body, reason === undefined);
    if (reason !== undefined) await this.handshakes.repeatLater(caller.workspaceId, { id }, reason);
    return { created, subscription: showSubscription(await this.find(caller, id)) };
  }

  /** Repeats the handshake now. @throws RestError 404 subscription_not_found, 403 not_admin */
  async verify(caller: Identity, id: string): Promise<object> {
    const { subscription, app } = await this.ownSubscription(caller, id);
    const { url } = subscription;
    const reason = await this.verification.failureOf(url, app, app.workspaceId);
    if (reason !== undefined) this.verification.tell(reason, { target: id, url });
    await this.handshakes.store(id, reason === undefined);
    return showSubscription(await this.find(caller, id));
  }

  /** App tokens see their own app's. @param verify those that never answered their handshake are asked again first */
  async listSubscriptions(caller: Identity, page: Page, verify: boolean): Promise<object> {
    if (verify) await this.handshakes.repeatNow(caller.workspaceId, { appId: caller.app?.id });
    const rows = await this.db.read<Row>(SUBSCRIPTIONS_PAGE, [
      caller.workspaceId,
      ...pageValues(page),
      caller.app?.id ?? null,
    ]);
    return toPage('subscriptions', rows, page, showSubscription);
  }

  /** @throws RestError 404 subscription_not_found, 403 not_admin */
  async unsubscribe(caller: Identity, id: string): Promise<void> {
    await this.ownSubscription(caller, id);
    await this.remove(id);
  }

  /**
   * A subscription for its app's tokens, the creator of its app or an admin.
   * @throws RestError 404 subscription_not_found, 403 not_admin
   */
  private async ownSubscription(caller: Identity, id: string): Promise<{ subscription: EventTarget; app: App }> {
    const subscription = await this.load(caller, id);
    const app = subscription?.appId ? await this.apps.find(caller.workspaceId, subscription.appId) : null;
    if (!subscription || !app) throw new RestError(404, 'subscription_not_found');
    requireOwner(caller, { appId: app.id, creatorId: app.creatorId });
    return { subscription, app };
  }

  private async store(
    caller: Identity,
    app: App,
    body: SubscribeBody,
    verified: boolean,
  ): Promise<{ id: string; created: boolean }> {
    const add = (): Promise<{ id: string; created: boolean }> =>
      this.db.write(async (tx) => {
        const [known] = await tx.query<{ id: string }>(SUBSCRIPTION_FOR_UPDATE, [
          app.id,
          body.request_url,
          caller.workspaceId,
        ]);
        if (known) {
          const { names, kinds, messageTypes } = wantedEvents(body.events ?? undefined);
          await tx.sql.update(
            EventTargetRow,
            { id: known.id },
            { names: [...names], kinds: [...kinds], messageTypes: messageTypes && [...messageTypes], verified },
          );
          await this.engine.setEnabled(tx, [known.id], true);
          return { id: known.id, created: false };
        }
        const id = await insertTarget(tx, {
          workspaceId: caller.workspaceId,
          url: body.request_url,
          names: body.events ?? undefined,
          creatorId: caller.userId,
          createdAt: this.clock.nowMicros(),
          app: { id: app.id, verified },
        });
        await this.counts.check(tx, caller.workspaceId, 'subscriptions');
        return { id, created: true };
      });
    try {
      return await add();
    } catch (error) {
      // another call subscribed the same app and URL meanwhile: now it exists
      if ((error as { constraint?: string }).constraint !== 'event_targets_app_url') throw error;
      return add();
    }
  }

  private async remove(id: string): Promise<void> {
    await this.db.write(async (tx) => {
      await tx.sql.delete(EventTargetRow, { id });
      await this.engine.remove(tx, [id]);
    });
  }

  private async load(caller: Identity, id: string): Promise<EventTarget | undefined> {
    const [row] = await this.db.read<Row>(TARGET_BY_ID, [id, caller.workspaceId]);
    return row;
  }

  private async find(caller: Identity, id: string): Promise<EventTarget> {
    const target = await this.load(caller, id);
    if (!target) throw new RestError(404, id.startsWith('Es') ? 'subscription_not_found' : 'webhook_not_found');
    return target;
  }
}

const state = (target: EventTarget): object => ({
  enabled: target.enabled,
  team_id: target.workspaceId,
  creator: target.creatorId,
  created: Math.floor(target.createdAt / 1e6),
  last_status: /^\d+$/.test(target.lastStatus ?? '') ? Number(target.lastStatus) : target.lastStatus,
});

/** An outgoing webhook's object (docs/reference/control-plane.md#outgoing-webhooks), without the secret. */
const showOutgoing = (target: EventTarget): object => ({
  id: target.id,
  url: target.url,
  events: target.names,
  channel_id: target.conversationId,
  name: target.name ?? '',
  ...state(target),
});

/** A subscription's object (docs/reference/control-plane.md#event-subscriptions). */
const showSubscription = (target: EventTarget): object => ({
  id: target.id,
  app_id: target.appId,
  request_url: target.url,
  events: target.names,
  verified: target.verified,
  ...state(target),
});
