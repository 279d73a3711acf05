import { In } from 'typeorm';
import { AccessTokens } from '../../src/auth/access-tokens.js';
import { Accounts } from '../../src/auth/accounts.js';
import { Sessions } from '../../src/auth/sessions.js';
import { Db } from '../../src/kernel/database/db.js';
import { Tenant } from '../../src/kernel/tenancy/tenant.entity.js';
import { DEFAULT_BOT_SCOPES, DEFAULT_USER_SCOPES } from '../../src/messaging/provisioning/default-scopes.js';
import type { AppManifest } from '../../src/messaging/store/app-manifest.js';
import type { ConversationType } from '../../src/messaging/store/conversation.entity.js';
import { User, type Role } from '../../src/messaging/store/user.entity.js';
import { BulkSetup } from '../../src/messaging/provisioning/bulk-setup.js';
import { newBotToken, newUserToken } from '../../src/messaging/provisioning/initial-values.js';
import { WorkspaceSetup } from '../../src/messaging/provisioning/workspace-setup.js';
import { ChatService } from '../../src/messaging/chat/chat.service.js';
import type { TestApp } from './app.js';
import { ChatClient } from './chat-client.js';
import { unique } from './unique.js';
import { WorkspaceStore } from './workspace-store.js';

export { unique };

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

/** A message by its address, in the form of method arguments. */
export interface TestMessage {
  channel: string;
  ts: string;
  /** In the form of `reactions.*`. */
  ref: { channel: string; timestamp: string };
  userId: string;
}

/**
 * A workspace created for one test. Builders fill in every omitted parent and use the product's services, so the
 * result could really exist.
 */
export class WorkspaceBuilder extends WorkspaceStore {
  private constructor(
    app: TestApp,
    tenantId: number,
    id: string,
    readonly domain: string,
    readonly admin: TestUser,
    readonly general: TestChannel,
    readonly random: TestChannel,
    /** The default app, with all default scopes. */
    readonly defaultApp: { id: string; botId: string; botUserId: string },
  ) {
    super(app, tenantId, id);
  }

  static async create(app: TestApp, options: WorkspaceOptions): Promise<WorkspaceBuilder> {
    const setup = app.nest.get(WorkspaceSetup, { strict: false });
    const accounts = app.nest.get(Accounts, { strict: false });
    const domain = options.domain ?? unique('ws');
    return app.nest.get(Db).write(async (tx) => {
      const { id: tenantId } = await tx.sql.save(new Tenant());
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

  private get setup(): WorkspaceSetup {
    return this.app.nest.get(WorkspaceSetup, { strict: false });
  }

  /** An app of its own with a bot token of these scopes, by default all of the default scopes. */
  async bot(
    options: { scopes?: readonly string[]; name?: string; features?: AppManifest['features'] } = {},
  ): Promise<ChatClient> {
    const scopes = options.scopes ?? DEFAULT_BOT_SCOPES;
    const token = newBotToken();
    const made = await this.db.write(async (tx) => {
      const app = await this.setup.createApp(tx, {
        workspaceId: this.id,
        manifest: { ...manifest(options.name ?? unique('app'), scopes, []), features: options.features ?? {} },
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

  /** Another bot token of the same app. */
  async tokenOf(bot: ChatClient, scopes: readonly string[]): Promise<ChatClient> {
    return this.issueBotToken({ id: bot.appId ?? '', botId: bot.botId ?? '', botUserId: bot.userId }, scopes);
  }

  /** The bot of the default app. */
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

  /** A user of the workspace and member of #general, by default with a new account. */
  async user(
    options: { name?: string; realName?: string; role?: Role; email?: string; accountId?: string } = {},
  ): Promise<TestUser> {
    const name = options.name ?? unique('user');
    const email = options.email ?? `${name}@${this.domain}.example`;
    return this.db.write(async (tx) => {
      const id =
        options.accountId ??
        (await this.app.nest
          .get(Accounts, { strict: false })
          .create(tx, { email, passwordHash: null, realName: options.realName ?? name }));
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

  /** A user token of the default app for this user, by default a new one. */
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

  /** A signed-in user, by default a new one, who calls with a JWT and without an app. */
  async jwtClient(options: { user?: TestUser; role?: Role } = {}): Promise<ChatClient> {
    const user = options.user ?? (await this.user(options.role === undefined ? {} : { role: options.role }));
    const claims = { team_id: this.id };
    const { sid } = await this.app.nest.get(Sessions, { strict: false }).begin(user.id, {});
    const token = await this.app.nest.get(AccessTokens, { strict: false }).issue({ accountId: user.id, sid, claims });
    return new ChatClient(this.app, token, { userId: user.id });
  }

  /** The admin with a user token of all default scopes. */
  adminClient(): Promise<ChatClient> {
    return this.userClient({ user: this.admin });
  }

  /** A channel with these members (clients or users), created by the first of them, else by the admin. */
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

  /** Adds users or clients as members, without a message or event. */
  async join(channel: { id: string }, ...members: readonly ({ userId: string } | { id: string })[]): Promise<void> {
    const ids = members.map((member) => ('userId' in member ? member.userId : member.id));
    await this.db.write((tx) => this.setup.addMembers(tx, channel.id, ids));
  }

  /** The im or mpim of these clients or users, as a seed document creates it, without an event. */
  async direct(...members: readonly ({ userId: string } | { id: string })[]): Promise<{ id: string }> {
    const ids = members.map((member) => ('userId' in member ? member.userId : member.id));
    const bulk = this.app.nest.get(BulkSetup, { strict: false });
    return this.db.write(async (tx) => {
      const people = await tx.sql.findBy(User, { workspaceId: this.id, id: In(ids) });
      const handles = new Map(people.map(({ id, name }) => [id, name]));
      const [made] = await bulk.openDirects(tx, this.id, [ids], handles);
      return { id: (made as { id: string }).id };
    });
  }

  /** A conversation of this type that includes the client and, if the type allows it, others. */
  async conversation(type: ConversationType, client: ChatClient): Promise<{ id: string }> {
    if (type === 'im') return this.direct(client, await this.user());
    if (type === 'mpim') return this.direct(client, await this.user(), await this.user());
    return this.channel({ isPrivate: type === 'private', members: [client, await this.user()] });
  }

  /** A user's message; creates an omitted channel and author. */
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
}

export const manifest = (name: string, bot: readonly string[], user: readonly string[]): AppManifest => ({
  display_information: { name },
  oauth_config: { scopes: { bot: [...bot], user: [...user] } },
});
