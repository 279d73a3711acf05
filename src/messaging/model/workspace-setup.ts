import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import type { Tx } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';
import { newAlphanumeric, newDigits, newHex, newId, sha256Hex } from '../../kernel/ids/ids.js';
import { RestError } from '../../kernel/http/http-error.js';
import type { AppManifest } from './default-scopes.js';
import { insertTarget } from './event-targets.js';
import type { Role } from './identity.js';
import { insertCommand } from './slash-commands.js';

const INSERT_WORKSPACE = statement(
  'chat_insert_workspace',
  `INSERT INTO workspaces (id, tenant_id, name, domain, is_default, creator_id, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)
   ON CONFLICT DO NOTHING RETURNING id`,
);

/** The handle as wanted or, where it is in use, with the first free number behind it. */
const INSERT_USER = statement(
  'chat_insert_user',
  `INSERT INTO users (workspace_id, id, name, role, is_bot, app_id, bot_id, email, profile, color, created_at, updated_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11) ON CONFLICT (workspace_id, name) DO NOTHING RETURNING id`,
);

const TAKEN_NAMES = statement('chat_taken_names', `SELECT name FROM users WHERE workspace_id = $1 AND name LIKE $2`);

/** With more workspaces of like names than this, counting up would be slow. */
const MANY_ALIKE = 100;

const TAKEN_DOMAINS = statement(
  'chat_taken_domains',
  `SELECT domain FROM workspaces WHERE domain LIKE $1 AND deleted_at IS NULL LIMIT ${MANY_ALIKE}`,
);

/** Longest domain of a workspace without its hyphens (messaging.md E.3). */
const MAX_DOMAIN = 21;

const INSERT_APP = statement(
  'chat_insert_app',
  `INSERT INTO apps (id, workspace_id, name, bot_id, bot_user_id, bot_scopes, user_scopes, signing_secret, verification_token,
     interactivity_url, manifest, is_default, creator_id, created_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
);

const INSERT_TOKEN = statement(
  'chat_insert_token',
  `INSERT INTO tokens (hash, kind, workspace_id, app_id, user_id, scopes) VALUES ($1, $2, $3, $4, $5, $6)
   ON CONFLICT (hash) DO UPDATE SET revoked_at = NULL, scopes = excluded.scopes, user_id = excluded.user_id`,
);

const INSERT_CHANNEL = statement(
  'chat_insert_channel',
  `INSERT INTO conversations (id, workspace_id, type, name, creator_id, is_general, topic, topic_creator, topic_set_at,
     purpose, purpose_creator, purpose_set_at, created_at, updated_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13)
   ON CONFLICT (workspace_id, name) WHERE type IN ('public', 'private') DO NOTHING RETURNING id`,
);

/** Adds those who are not members yet and counts them; the conversation's row is locked by the count. */
const ADD_MEMBERS = statement(
  'chat_add_members',
  `WITH added AS (
     INSERT INTO members (conversation_id, user_id, joined_at)
     SELECT $1, u, $3 FROM unnest($2::text[]) u ON CONFLICT DO NOTHING RETURNING user_id),
   counted AS (
     UPDATE conversations SET member_count = member_count + (SELECT count(*) FROM added), members_version = members_version + 1
     WHERE id = $1)
   SELECT user_id FROM added`,
);

const JOIN_GENERAL = statement(
  'chat_join_general',
  `WITH general AS (SELECT id FROM conversations WHERE workspace_id = $1 AND is_general),
   added AS (
     INSERT INTO members (conversation_id, user_id, joined_at) SELECT id, $2, $3 FROM general
     ON CONFLICT DO NOTHING RETURNING conversation_id),
   counted AS (
     UPDATE conversations SET member_count = member_count + 1, members_version = members_version + 1
     WHERE id IN (SELECT conversation_id FROM added))
   SELECT id FROM general`,
);

const COLORS = ['9f69e7', '4bbe2e', 'e7392d', '3c989f', '674b1b', 'e96699', 'e0a729', '684b6c', '5b89d5', '2b6836'];

/** Slugs of app names and e-mails: a valid handle, `fallback` where nothing is left. */
export const handleOf = (text: string, fallback: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .replace(/-+$/, '')
    .slice(0, 80) || fallback;

/** The first name of `name`, `name2`, … (with `separator` `-`: `name-2`, …) that is not taken. */
function freeName(name: string, taken: ReadonlySet<string>, separator: string): string {
  if (!taken.has(name)) return name;
  for (let number = 2; ; number++) {
    const suffix = `${separator}${number}`;
    const candidate = name.slice(0, 80 - suffix.length) + suffix;
    if (!taken.has(candidate)) return candidate;
  }
}

export interface NewApp {
  readonly id: string;
  readonly name: string;
  readonly botId: string;
  readonly botUserId: string;
  readonly botScopes: string[];
  readonly userScopes: string[];
  readonly signingSecret: string;
  readonly verificationToken: string;
  readonly interactivityUrl: string | null;
  readonly manifest: AppManifest;
  readonly creatorId: string;
  /** Microseconds. */
  readonly createdAt: number;
}

/** What an app and this service know of each other (messaging.md D.1, D.6). */
export interface AppSecrets {
  readonly signingSecret: string;
  readonly verificationToken: string;
}

export const newAppSecrets = (): AppSecrets => ({ signingSecret: newHex(32), verificationToken: newAlphanumeric(24) });

export const newBotToken = (): string => `xoxb-${newDigits(12)}-${newAlphanumeric(24)}`;
export const newUserToken = (): string => `xoxp-${newDigits(12)}-${newAlphanumeric(24)}`;

/**
 * The quiet verbs that make a workspace and fill it: no events, no system messages. First start, provisioning, sign-up
 * and the control plane build on them; each runs in its caller's transaction.
 */
@Injectable()
export class WorkspaceSetup {
  constructor(private readonly clock: Clock) {}

  /** Null when the domain is taken. */
  async createWorkspace(
    tx: Tx,
    input: { tenantId: number; name: string; domain: string; creatorId: string; isDefault?: boolean },
  ): Promise<{ id: string; createdAt: number } | null> {
    const id = newId('T');
    const createdAt = this.clock.nowMicros();
    const rows = await tx.query(INSERT_WORKSPACE, [
      id,
      input.tenantId,
      input.name,
      input.domain,
      input.isDefault ?? false,
      input.creatorId,
      createdAt,
    ]);
    return rows.length === 1 ? { id, createdAt } : null;
  }

  /** The same with a domain made of the name where none is wished for: a slug, made unique by digits. */
  async foundWorkspace(
    tx: Tx,
    input: { tenantId: number; name: string; domain?: string | undefined; creatorId: string; isDefault?: boolean },
  ): Promise<{ id: string; domain: string } | null> {
    for (;;) {
      const domain = input.domain ?? (await this.freeDomain(tx, input.name));
      const made = await this.createWorkspace(tx, { ...input, domain });
      if (made) return { id: made.id, domain };
      // a made-up domain that somebody else took just now is visible to the next look
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

  /** Makes an account a user of the workspace, a member of #general if there is one. Answers the handle it got. */
  async addUser(
    tx: Tx,
    input: {
      workspaceId: string;
      accountId: string;
      handle: string;
      realName: string;
      email: string | null;
      role?: Role;
      bot?: { appId: string; botId: string };
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
        COLORS[(input.accountId.charCodeAt(10) + input.accountId.charCodeAt(9)) % COLORS.length],
        now,
      ]);
      if (rows.length === 1) {
        await tx.query(JOIN_GENERAL, [input.workspaceId, input.accountId, now]);
        return wanted;
      }
      const like = `${input.handle.slice(0, 70).replace(/[\\%_]/g, '\\$&')}%`;
      const taken = await tx.query<{ name: string }>(TAKEN_NAMES, [input.workspaceId, like]);
      wanted = freeName(input.handle, new Set([wanted, ...taken.map((row) => row.name)]), separator);
    }
  }

  /**
   * An app with its bot user, which joins #general, and with the commands and the subscription of its manifest, which is
   * valid. Tokens are issued apart.
   * @param input.secrets made beforehand where a handshake with the app came first, with its result
   * @throws RestError 409 command_taken
   */
  async createApp(
    tx: Tx,
    input: {
      workspaceId: string;
      manifest: AppManifest;
      creatorId: string;
      isDefault?: boolean;
      secrets?: AppSecrets;
      verified?: boolean;
    },
  ): Promise<NewApp> {
    const { manifest } = input;
    const name = manifest.display_information.name;
    const app: NewApp = {
      id: newId('A'),
      name,
      botId: newId('B'),
      botUserId: newId('U'),
      botScopes: manifest.oauth_config?.scopes?.bot ?? [],
      userScopes: manifest.oauth_config?.scopes?.user ?? [],
      ...(input.secrets ?? newAppSecrets()),
      interactivityUrl: manifest.settings?.interactivity?.request_url ?? null,
      manifest,
      creatorId: input.creatorId,
      createdAt: this.clock.nowMicros(),
    };
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
    ]);
    const display = manifest.features?.bot_user?.display_name ?? name;
    await this.addUser(tx, {
      workspaceId: input.workspaceId,
      accountId: app.botUserId,
      handle: handleOf(name, 'app'),
      realName: display,
      email: null,
      bot: { appId: app.id, botId: app.botId },
    });
    await this.createParts(tx, input.workspaceId, app, input.verified ?? false);
    return app;
  }

  private async createParts(tx: Tx, workspaceId: string, app: NewApp, verified: boolean): Promise<void> {
    const { features, settings } = app.manifest;
    const common = { workspaceId, creatorId: app.creatorId, createdAt: app.createdAt };
    for (const { command, url, description, usage_hint } of features?.slash_commands ?? []) {
      const made = await insertCommand(tx, {
        ...common,
        appId: app.id,
        command,
        url,
        description: description ?? '',
        usageHint: usage_hint ?? '',
      });
      if (!made) throw new RestError(409, 'command_taken');
    }
    const { request_url: url, bot_events: names } = settings?.event_subscriptions ?? {};
    if (url) await insertTarget(tx, { ...common, url, names: names ?? undefined, app: { id: app.id, verified } });
  }

  /** Stores a token's hash. Issuing one that was revoked brings it back: fixed tokens survive a rotation there and back. */
  async issueToken(
    tx: Tx,
    input: {
      token: string;
      kind: 'bot' | 'user';
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
    ]);
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
    },
  ): Promise<{ id: string; createdAt: number } | null> {
    const id = newId('C');
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

/** What is stored of a new user's profile; the rest of C.4 is derived when it is read. */
function profileOf(realName: string, handle: string): object {
  const space = realName.search(/\s/);
  return {
    real_name: realName,
    display_name: handle,
    first_name: space === -1 ? realName : realName.slice(0, space),
    last_name: space === -1 ? '' : realName.slice(space).trim(),
  };
}
