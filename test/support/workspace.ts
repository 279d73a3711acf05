import { AccessTokens } from '../../src/auth/access-tokens.js';
import { Accounts } from '../../src/auth/accounts.js';
import { Db } from '../../src/kernel/database/db.js';
import { statement } from '../../src/kernel/database/statement.js';
import { newHex, sha256Hex } from '../../src/kernel/ids/ids.js';
import {
  DEFAULT_BOT_SCOPES,
  DEFAULT_USER_SCOPES,
  type AppManifest,
} from '../../src/messaging/provisioning/default-scopes.js';
import { DirectMessages } from '../../src/messaging/store/direct-messages.js';
import type { ConversationType } from '../../src/messaging/store/conversation.entity.js';
import { MessageLog } from '../../src/messaging/store/message-log.js';
import { openWire } from '../../src/messaging/wire/message-wire.js';
import { newBotToken, newUserToken } from '../../src/messaging/provisioning/beginnings.js';
import { WorkspaceSetup } from '../../src/messaging/provisioning/workspace-setup.js';
import { ChatService } from '../../src/messaging/chat/chat.service.js';
import type { Role } from '../../src/messaging/access/identity.js';
import type { TestApp } from './app.js';
import { ChatClient } from './chat-client.js';
import { checkEvent } from './payload-checks.js';
import { unique } from './unique.js';

export { unique };

const INSERT_TENANT = statement('tests_insert_tenant', 'INSERT INTO tenants DEFAULT VALUES RETURNING id');

const INSERT_SESSION = statement('tests_insert_session', 'INSERT INTO sessions (sid, account_id) VALUES ($1, $2)');
const ARCHIVE = statement('tests_archive', 'UPDATE conversations SET is_archived = true WHERE id = $1');
const REVOKE = statement('tests_revoke', 'UPDATE tokens SET revoked_at = now() WHERE hash = $1');
const END_SESSIONS = statement('tests_end_sessions', 'UPDATE sessions SET ended_at = now() WHERE account_id = $1');
const SET_INTERACTIVITY_URL = statement(
  'tests_set_interactivity_url',
  'UPDATE apps SET interactivity_url = $2 WHERE id = $1',
);
const DEACTIVATE = statement('tests_deactivate', 'UPDATE users SET deleted_at = now() WHERE id = $1');

export interface WorkspaceOptions {
  name?: string;
  domain?: string;
}

export interface TestUser {
  id: string;
  name: string;
}

export interface TestChannel {
  id: string;
  name: string;
}

/** A message by its address, as methods take it. */
export interface TestMessage {
  channel: string;
  ts: string;
  /** For `reactions.*`. */
  ref: { channel: string; timestamp: string };
  userId: string;
}

/**
 * A workspace made for one test. Builders fill in every parent that is not named and go through the product's own
 * verbs, so what they build could really exist.
 */
export class WorkspaceBuilder {
  private constructor(
    readonly app: TestApp,
    readonly tenantId: number,
    readonly id: string,
    readonly domain: string,
    readonly admin: TestUser,
    readonly general: TestChannel,
    readonly random: TestChannel,
    /** The default app, with all default scopes. */
    readonly defaultApp: { id: string; botId: string; botUserId: string },
  ) {}

  static async create(app: TestApp, options: WorkspaceOptions): Promise<WorkspaceBuilder> {
    const setup = app.nest.get(WorkspaceSetup, { strict: false });
    const accounts = app.nest.get(Accounts, { strict: false });
    const domain = options.domain ?? unique('ws');
    return app.nest.get(Db).write(async (tx) => {
      const [tenant] = await tx.query<{ id: number }>(INSERT_TENANT);
      const tenantId = (tenant as { id: number }).id;
      const adminId = (await accounts.create(tx, {
        email: `admin@${domain}.example`,
        passwordHash: null,
        realName: 'Admin',
      })) as string;
      const workspace = await setup.createWorkspace(tx, {
        tenantId,
        name: options.name ?? `Workspace ${domain}`,
        domain,
        creatorId: adminId,
      });
      if (!workspace) throw new Error(`the domain ${domain} is taken`);
      const name = await setup.addUser(tx, {
        workspaceId: workspace.id,
        accountId: adminId,
        handle: 'admin',
        realName: 'Admin',
        email: `admin@${domain}.example`,
        role: 'primary_owner',
      });
      const made = await setup.createApp(tx, {
        workspaceId: workspace.id,
        manifest: manifest('default-app', DEFAULT_BOT_SCOPES, DEFAULT_USER_SCOPES),
        creatorId: adminId,
        isDefault: true,
      });
      const channel = async (channelName: string, isGeneral: boolean): Promise<TestChannel> => {
        const created = await setup.createChannel(tx, {
          workspaceId: workspace.id,
          name: channelName,
          creatorId: adminId,
          isGeneral,
          members: [adminId, made.botUserId],
        });
        return { id: (created as { id: string }).id, name: channelName };
      };
      const general = await channel('general', true);
      const random = await channel('random', false);
      return new WorkspaceBuilder(app, tenantId, workspace.id, domain, { id: adminId, name }, general, random, made);
    });
  }

  private get db(): Db {
    return this.app.nest.get(Db);
  }
  private get setup(): WorkspaceSetup {
    return this.app.nest.get(WorkspaceSetup, { strict: false });
  }

  /** An app of its own with a bot token of these scopes (all default ones when not said). */
  async bot(options: { scopes?: readonly string[]; name?: string } = {}): Promise<ChatClient> {
    const scopes = options.scopes ?? DEFAULT_BOT_SCOPES;
    const token = newBotToken();
    const made = await this.db.write(async (tx) => {
      const app = await this.setup.createApp(tx, {
        workspaceId: this.id,
        manifest: manifest(options.name ?? unique('app'), scopes, []),
        creatorId: this.admin.id,
      });
      await this.setup.issueToken(tx, {
        token,
        kind: 'bot',
        workspaceId: this.id,
        appId: app.id,
        userId: app.botUserId,
        scopes,
      });
      await this.setup.addMembers(tx, this.general.id, [app.botUserId]);
      return app;
    });
    return new ChatClient(this.app, token, { userId: made.botUserId, appId: made.id, botId: made.botId });
  }

  /** Another bot token of a bot's app. */
  async tokenOf(bot: ChatClient, scopes: readonly string[]): Promise<ChatClient> {
    return this.issueBotToken({ id: bot.appId ?? '', botId: bot.botId ?? '', botUserId: bot.userId }, scopes);
  }

  /** The default app's bot. */
  async defaultBot(scopes: readonly string[] = DEFAULT_BOT_SCOPES): Promise<ChatClient> {
    return this.issueBotToken(this.defaultApp, scopes);
  }

  private async issueBotToken(
    of: { id: string; botId: string; botUserId: string },
    scopes: readonly string[],
  ): Promise<ChatClient> {
    const token = newBotToken();
    await this.db.write((tx) =>
      this.setup.issueToken(tx, {
        token,
        kind: 'bot',
        workspaceId: this.id,
        appId: of.id,
        userId: of.botUserId,
        scopes,
      }),
    );
    return new ChatClient(this.app, token, { userId: of.botUserId, appId: of.id, botId: of.botId });
  }

  /** Revokes an app token, as a rotation does. */
  async revoke(client: ChatClient): Promise<void> {
    await this.db.run(REVOKE, [sha256Hex(client.token)]);
  }

  /** Ends all sessions of a signed-in person. */
  async endSessions(client: { userId: string }): Promise<void> {
    await this.db.run(END_SESSIONS, [client.userId]);
  }

  /** A person of the workspace, member of #general. */
  async user(options: { name?: string; realName?: string; role?: Role; email?: string } = {}): Promise<TestUser> {
    const name = options.name ?? unique('user');
    const email = options.email ?? `${name}@${this.domain}.example`;
    return this.db.write(async (tx) => {
      const id = await this.app.nest
        .get(Accounts, { strict: false })
        .create(tx, { email, passwordHash: null, realName: options.realName ?? name });
      if (id === null) throw new Error(`${email} is taken`);
      const handle = await this.setup.addUser(tx, {
        workspaceId: this.id,
        accountId: id,
        handle: name,
        realName: options.realName ?? name,
        email,
        ...(options.role === undefined ? {} : { role: options.role }),
      });
      return { id, name: handle };
    });
  }

  /** A user token of the default app for this user (a new one when not said). */
  async userClient(options: { user?: TestUser; scopes?: readonly string[]; role?: Role } = {}): Promise<ChatClient> {
    const user = options.user ?? (await this.user(options.role === undefined ? {} : { role: options.role }));
    const token = newUserToken();
    await this.db.write((tx) =>
      this.setup.issueToken(tx, {
        token,
        kind: 'user',
        workspaceId: this.id,
        appId: this.defaultApp.id,
        userId: user.id,
        scopes: options.scopes ?? DEFAULT_USER_SCOPES,
      }),
    );
    return new ChatClient(this.app, token, { userId: user.id, appId: this.defaultApp.id });
  }

  /** A signed-in person (a new one when not said): calls by JWT, without an app. */
  async jwtClient(options: { user?: TestUser; role?: Role } = {}): Promise<ChatClient> {
    const user = options.user ?? (await this.user(options.role === undefined ? {} : { role: options.role }));
    const sid = newHex(16);
    await this.db.run(INSERT_SESSION, [sid, user.id]);
    const token = await this.app.nest
      .get(AccessTokens, { strict: false })
      .issue({ accountId: user.id, sid, claims: { team_id: this.id } });
    return new ChatClient(this.app, token, { userId: user.id });
  }

  /** The admin by a user token with all default scopes. */
  adminClient(): Promise<ChatClient> {
    return this.userClient({ user: this.admin });
  }

  /** A channel with these members (clients or users); the first of them, else the admin, is its creator. */
  async channel(
    options: { name?: string; isPrivate?: boolean; members?: readonly ({ userId: string } | { id: string })[] } = {},
  ): Promise<TestChannel> {
    const members = (options.members ?? []).map((member) => ('userId' in member ? member.userId : member.id));
    const name = options.name ?? unique('channel');
    const created = await this.db.write((tx) =>
      this.setup.createChannel(tx, {
        workspaceId: this.id,
        name,
        isPrivate: options.isPrivate ?? false,
        creatorId: members[0] ?? this.admin.id,
        members: members.length > 0 ? members : [this.admin.id],
      }),
    );
    if (!created) throw new Error(`the channel name ${name} is taken`);
    return { id: created.id, name };
  }

  /** Makes users or clients members, without message or event. */
  async join(channel: { id: string }, ...members: readonly ({ userId: string } | { id: string })[]): Promise<void> {
    const ids = members.map((member) => ('userId' in member ? member.userId : member.id));
    await this.db.write((tx) => this.setup.addMembers(tx, channel.id, ids));
  }

  /** The im or mpim of these clients or users, as conversations.open makes it. */
  async direct(...members: readonly ({ userId: string } | { id: string })[]): Promise<{ id: string }> {
    const ids = members.map((member) => ('userId' in member ? member.userId : member.id));
    const caller = { workspaceId: this.id, userId: ids[0] as string };
    const { id } = await this.db.write((tx) =>
      this.app.nest.get(DirectMessages, { strict: false }).open(tx, caller, ids),
    );
    return { id };
  }

  /** A conversation of this type with the client and, where it takes more, others in it. */
  async conversation(type: ConversationType, client: ChatClient): Promise<{ id: string }> {
    if (type === 'im') return this.direct(client, await this.user());
    if (type === 'mpim') return this.direct(client, await this.user(), await this.user());
    return this.channel({ isPrivate: type === 'private', members: [client, await this.user()] });
  }

  /** The handle of a user. */
  async handleOf(userId: string): Promise<string> {
    const [row] = await this.db.readText<{ name: string }>(
      'SELECT name FROM users WHERE workspace_id = $1 AND id = $2',
      [this.id, userId],
    );
    return (row as { name: string }).name;
  }

  /** `member_count` as stored, and the rows it stands for. */
  async memberCount(channel: { id: string }): Promise<{ counted: number; rows: number }> {
    const [row] = await this.db.readText<{ counted: number; rows: number }>(
      `SELECT member_count AS counted, (SELECT count(*) FROM members m WHERE m.conversation_id = c.id) AS rows
       FROM conversations c WHERE id = $1`,
      [channel.id],
    );
    if (!row) throw new Error(`there is no conversation ${channel.id}`);
    return row;
  }

  /** A user's message; makes its own channel and author where they are not named. */
  async message(
    options: { channel?: { id: string }; user?: { id: string }; text?: string; threadTs?: string } = {},
  ): Promise<TestMessage> {
    const user = options.user ?? (await this.user());
    const channel = options.channel ?? (await this.channel({ members: [user] }));
    await this.join(channel, user);
    const { ts } = await this.app.nest.get(ChatService, { strict: false }).post(
      { tenantId: this.tenantId, workspaceId: this.id, conversation: { id: channel.id, type: 'public' } },
      {
        author: { user: user.id },
        content: { text: options.text ?? 'a message' },
        memberId: user.id,
        ...(options.threadTs === undefined ? {} : { threadTs: Number(options.threadTs.replace('.', '')) }),
      },
    );
    return { channel: channel.id, ts, ref: { channel: channel.id, timestamp: ts }, userId: user.id };
  }

  /** A system message about this user, without what it tells of having happened. Answers its ts. */
  async system(channel: { id: string }, user: { userId: string }, subtype: string): Promise<string> {
    const scene = {
      tenantId: this.tenantId,
      workspaceId: this.id,
      conversation: { id: channel.id, type: 'public' as const },
    };
    const text = `<@${user.userId}> has joined the channel`;
    const open = openWire({
      workspaceId: this.id,
      publicUrl: '',
      author: { user: user.userId },
      content: { text },
      subtype,
    });
    return this.db.write(async (tx) => {
      await this.messageLog.hold(tx, channel.id, null);
      return this.messageLog.append(tx, scene, {
        userId: user.userId,
        botId: null,
        subtype,
        text,
        open,
        metadata: null,
      });
    });
  }

  /** As if the app's manifest had named it: a Bolt app knows its URL only after its app was made. */
  async setInteractivityUrl(appId: string, url: string): Promise<void> {
    await this.db.run(SET_INTERACTIVITY_URL, [appId, url]);
  }

  /** Archives a channel, without message or event. */
  async archive(channel: { id: string }): Promise<void> {
    await this.db.run(ARCHIVE, [channel.id]);
  }

  /** Deactivates a user. No method does; the control plane has no route for it either. */
  async deactivate(user: { id: string }): Promise<void> {
    await this.db.run(DEACTIVATE, [user.id]);
  }

  /** Inner event objects that were recorded in this workspace, oldest first. */
  async recorded(kind?: string): Promise<Record<string, unknown>[]> {
    const rows = await this.db.readText<{ kind: string; data: string }>(
      'SELECT kind, data FROM events WHERE tenant_id = $1 AND ($2::text IS NULL OR kind = $2) ORDER BY id',
      [this.tenantId, kind ?? null],
    );
    for (const row of rows) checkEvent(row.kind, row.data);
    return rows.map((row) => JSON.parse(row.data) as Record<string, unknown>);
  }

  /** For what only the log can do. */
  get messageLog(): MessageLog {
    return this.app.nest.get(MessageLog, { strict: false });
  }
}

export const manifest = (name: string, bot: readonly string[], user: readonly string[]): AppManifest => ({
  display_information: { name },
  oauth_config: { scopes: { bot: [...bot], user: [...user] } },
});
