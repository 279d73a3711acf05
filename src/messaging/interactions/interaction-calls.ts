import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import type { App } from '../access/apps-access.js';
import type { Identity } from '../access/identity.js';
import { AppSender, type AppReply } from '../rest/app-sender.js';
import { formatTs } from '../store/message-ts.js';
import { Triggers } from '../surfaces/triggers.js';
import { Workspace } from '../store/workspace.entity.js';

type Json = Record<string, unknown>;

/** The part of a call's answer that every interaction reports. */
export interface Interaction {
  readonly reply: AppReply;
  /** Absent where the payload has none. */
  readonly triggerId?: string;
  readonly responseUrl?: string;
}

/** What all interactions share: the app they belong to, and how they reach it. */
@Injectable()
export class InteractionCalls {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly sender: AppSender,
    private readonly triggers: Triggers,
  ) {}

  /** @throws RestError 409 no_interactivity_url */
  async requireInteractivity(app: App | null | undefined, url = app?.interactivityUrl ?? null): Promise<App> {
    if (!app || !(await this.reaches(app, url))) throw new RestError(409, 'no_interactivity_url');
    return app;
  }

  /** An app that is not installed hears of nothing. */
  async reaches(app: App, url = app.interactivityUrl): Promise<boolean> {
    return app.installedAt !== null && (await this.sender.reaches(app, url));
  }

  /** @param conversationId where the person acted */
  newTrigger(person: Identity, app: App, conversationId?: string): Promise<string> {
    const { workspaceId, userId } = person;
    return this.triggers.issue({ workspaceId, appId: app.id, userId, conversationId });
  }

  /** The moment of an action, as `action_ts`. */
  now(): string {
    return formatTs(this.clock.nowMicros());
  }

  /**
   * Adds the common fields to a payload, sends it and waits for the answer.
   * @throws AppFailure
   */
  async send(
    person: Identity,
    app: App,
    { type, ...more }: { readonly type: string } & Json,
    url = app.interactivityUrl,
  ): Promise<AppReply> {
    const workspace = await this.db.load((entities) => entities.findOneBy(Workspace, { id: person.workspaceId }));
    return this.sender.send({
      tenantId: person.tenantId,
      app,
      type: 'interactive',
      kind: type,
      url,
      payload: {
        type,
        user: { id: person.userId, username: person.userName, name: person.userName, team_id: person.workspaceId },
        api_app_id: app.id,
        token: app.verificationToken,
        team: { id: person.workspaceId, domain: workspace?.domain },
        enterprise: null,
        is_enterprise_install: false,
        ...more,
      },
    });
  }
}

/** An app's answer as parsed JSON, text, or null for nothing. */
export function readAnswer(text: string): unknown {
  if (text.trim() === '') return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
