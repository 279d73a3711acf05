import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import type { Tx } from '../../kernel/database/db.js';
import { ownIds } from '../../kernel/clock/request-sandbox.js';
import { newDigits, newId, sha256Hex } from '../../kernel/ids/ids.js';
import type { AppManifest } from '../store/app-manifest.js';
import type { Role } from '../store/user.entity.js';
import { createAppParts } from './app-parts.js';
import {
  APP_LEVEL_SCOPES,
  avatarColorOf,
  botNameOf,
  freeName,
  handleOf,
  hintOf,
  newAppLevelToken,
  newAppOf,
  profileOf,
  type AppSecrets,
} from './initial-values.js';
import type { NewApp } from '../store/app.entity.js';
import {
  ADD_MEMBERS,
  INSERT_APP,
  INSERT_CHANNEL,
  INSERT_TOKEN,
  INSERT_USER,
  INSERT_WORKSPACE,
  JOIN_GENERAL,
  MANY_ALIKE,
  MAX_DOMAIN,
  TAKEN_DOMAINS,
  TAKEN_NAMES,
} from './workspace-setup.queries.js';

/**
 * Operations that make and fill a workspace without events and system messages. First start, provisioning, sign-up and
 * the control plane build on them; each runs in its caller's transaction.
 */
@Injectable()
export class WorkspaceSetup {
  constructor(private readonly clock: Clock) {}

  /** Null when the domain is taken. */
  async createWorkspace(
    tx: Tx,
    input: {
      tenantId: number;
      name: string;
      domain: string;
      creatorId: string;
      isDefault?: boolean;
      id?: string | undefined;
    },
  ): Promise<{ id: string; createdAt: number } | null> {
    const id = input.id ?? newId('T');
    const createdAt = this.clock.nowMicros();
    const rows = await tx.query(INSERT_WORKSPACE, [
      id,
      input.tenantId,
      input.name,
      input.domain,
      input.isDefault ?? false,
      input.creatorId,
      createdAt,
      ownIds() ? true : null,
    ]);
    return rows.length === 1 ? { id, createdAt } : null;
  }

  /** The same with a domain made of the name where none is given: a slug, made unique by digits. */
  async createWorkspaceWithFreeDomain(
    tx: Tx,
    input: {
      tenantId: number;
      name: string;
      domain?: string | undefined;
      creatorId: string;
      isDefault?: boolean;
      id?: string | undefined;
    },
  ): Promise<{ id: string; domain: string } | null> {
    for (;;) {
      const domain = input.domain ?? (await this.freeDomain(tx, input.name));
      const made = await this.createWorkspace(tx, { ...input, domain });
      if (made) return { id: made.id, domain };
      // a generated domain that was taken concurrently is visible to the next look-up
      if (input.domain !== undefined) return null;
    }
  }

  private async freeDomain(tx: Tx, name: string): Promise<string> {
    const slug = handleOf(name, 'workspace')
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '');
    const base = slug.slice(0, MAX_DOMAIN).replace(/-$/, '') || 'workspace';
    const rows = await tx.query<{ domain: string }>(TAKEN_DOMAINS, [`${base.slice(0, MAX_DOMAIN - 8)}%`]);
    const taken = new Set(rows.map((row) => row.domain));
    for (let number = 1; ; number++) {
      const suffix = taken.size === MANY_ALIKE ? newDigits(8) : number === 1 ? '' : String(number);
      const candidate = base.slice(0, MAX_DOMAIN - suffix.length).replace(/-$/, '') + suffix;
      if (!taken.has(candidate)) return candidate;
    }
  }

  /** Makes an account a user of the workspace, and a member of #general if there is one. Returns its handle. */
  async addUser(
    tx: Tx,
    input: {
      workspaceId: string;
      accountId: string;
      handle: string;
      realName: string;
      email: string | null;
      role?: Role;
      /** The bots of apps that are made from a manifest join no channel by themselves. */
      bot?: { appId: string; botId: string; joinsGeneral: boolean };
    },
  ): Promise<string> {
    const now = this.clock.nowMicros();
    const separator = input.bot ? '-' : '';
    for (let wanted = input.handle; ;) {
      const rows = await tx.query(INSERT_USER, [
        input.workspaceId,
        input.accountId,
        wanted,
        input.role ?? 'member',
        input.bot !== undefined,
        input.bot?.appId ?? null,
        input.bot?.botId ?? null,
        input.email,
        JSON.stringify(profileOf(input.realName, wanted)),
        avatarColorOf(input.accountId),
        now,
      ]);
      if (rows.length === 1) {
        if (input.bot?.joinsGeneral !== false) {
          await tx.query(JOIN_GENERAL, [input.workspaceId, input.accountId, now]);
        }
        return wanted;
      }
      const like = `${input.handle.slice(0, 70).replace(/[\\%_]/g, '\\$&')}%`;
      const taken = await tx.query<{ name: string }>(TAKEN_NAMES, [input.workspaceId, like]);
      wanted = freeName(input.handle, new Set([wanted, ...taken.map((row) => row.name)]), separator);
    }
  }

  /**
   * An app with its bot user, which joins #general if it is the default app, and with the commands and the subscription
   * of its valid manifest. Tokens are issued separately.
   * @param input.secrets made beforehand when a handshake with the app came first, with its result
   * @throws RestError 409 command_taken
   */
  async createApp(
    tx: Tx,
    input: {
      workspaceId: string;
      manifest: AppManifest;
      creatorId: string;
      isDefault?: boolean;
      /** Default: a new one. */
      id?: string | undefined;
      secrets?: AppSecrets;
      verified?: boolean;
      /** False: it is registered only, without a bot user and what its manifest brings along. */
      isInstalled?: boolean;
    },
  ): Promise<NewApp> {
    const { manifest } = input;
    const app = newAppOf(input, this.clock.nowMicros());
    const { name } = app;
    await tx.query(INSERT_APP, [
      app.id,
      input.workspaceId,
      name,
      app.botId,
      app.botUserId,
      app.botScopes,
      app.userScopes,
      app.signingSecret,
      app.verificationToken,
      app.interactivityUrl,
      JSON.stringify(manifest),
      input.isDefault ?? false,
      input.creatorId,
      app.createdAt,
      app.socketMode,
      app.clientId,
      sha256Hex(app.clientSecret ?? ''),
      app.botState,
      app.installedAt,
    ]);
    if (input.isInstalled === false) return app;
    await this.addBot(tx, input.workspaceId, app, input.isDefault ?? false);
    await createAppParts(tx, input.workspaceId, app, input.verified ?? false);
    return app;
  }

  /** The user that an app posts as. */
  async addBot(tx: Tx, workspaceId: string, app: NewApp, joinsGeneral: boolean): Promise<void> {
    await this.addUser(tx, {
      workspaceId,
      accountId: app.botUserId,
      handle: handleOf(app.name, 'app'),
      realName: botNameOf(app),
      email: null,
      bot: { appId: app.id, botId: app.botId, joinsGeneral },
    });
  }

  /** Stores a token's hash. Issuing a revoked one restores it: fixed tokens survive being rotated away and back. */
  async issueToken(
    tx: Tx,
    input: {
      token: string;
      kind: 'bot' | 'user' | 'app';
      workspaceId: string;
      appId: string;
      userId: string;
      scopes: readonly string[];
    },
  ): Promise<void> {
    await tx.query(INSERT_TOKEN, [
      sha256Hex(input.token),
      input.kind,
      input.workspaceId,
      input.appId,
      input.userId,
      [...input.scopes],
      hintOf(input.token),
    ]);
  }

  /** The app's app-level token; null for an app that does not connect. */
  async issueAppLevelToken(tx: Tx, workspaceId: string, app: NewApp, fixed?: string): Promise<string | null> {
    if (app.socketMode === 'off' && fixed === undefined) return null;
    const token = fixed ?? newAppLevelToken(app.id);
    const common = { workspaceId, appId: app.id, userId: app.botUserId };
    await this.issueToken(tx, { ...common, token, kind: 'app', scopes: APP_LEVEL_SCOPES });
    return token;
  }

  /** Null when the name is taken. `members` are in it from the start; the creator must be named among them. */
  async createChannel(
    tx: Tx,
    input: {
      workspaceId: string;
      name: string;
      isPrivate?: boolean;
      creatorId: string;
      isGeneral?: boolean;
      topic?: string | undefined;
      purpose?: string | undefined;
      members: readonly string[];
      /** Default: a new one. */
      id?: string | undefined;
    },
  ): Promise<{ id: string; createdAt: number } | null> {
    const id = input.id ?? newId('C');
    const createdAt = this.clock.nowMicros();
    const seconds = Math.floor(createdAt / 1e6);
    const topic = input.topic ?? '';
    const purpose = input.purpose ?? '';
    const rows = await tx.query(INSERT_CHANNEL, [
      id,
      input.workspaceId,
      input.isPrivate ? 'private' : 'public',
      input.name,
      input.creatorId,
      input.isGeneral ?? false,
      topic,
      topic === '' ? '' : input.creatorId,
      topic === '' ? 0 : seconds,
      purpose,
      purpose === '' ? '' : input.creatorId,
      purpose === '' ? 0 : seconds,
      createdAt,
    ]);
    if (rows.length === 0) return null;
    await this.addMembers(tx, id, input.members);
    return { id, createdAt };
  }

  /** Answers those who were not members before. */
  async addMembers(tx: Tx, conversationId: string, userIds: readonly string[]): Promise<string[]> {
    const rows = await tx.query<{ user_id: string }>(ADD_MEMBERS, [
      conversationId,
      [...userIds],
      this.clock.nowMicros(),
    ]);
    return rows.map((row) => row.user_id);
  }
}
