import { IsNull } from 'typeorm';
import { Session } from '../../src/auth/session.entity.js';
import { Db } from '../../src/kernel/database/db.js';
import { LoggedEvent } from '../../src/kernel/events/logged-event.entity.js';
import { sha256Hex } from '../../src/kernel/ids/ids.js';
import { App } from '../../src/messaging/store/app.entity.js';
import { Conversation } from '../../src/messaging/store/conversation.entity.js';
import { Member } from '../../src/messaging/store/member.entity.js';
import { Token } from '../../src/messaging/store/token.entity.js';
import { MessageLog } from '../../src/messaging/messages/message-log.js';
import { User } from '../../src/messaging/store/user.entity.js';
import { openWire } from '../../src/messaging/wire/message-wire.js';
import type { TestApp } from './app.js';
import { checkEvent } from './payload-checks.js';

/** The stored state of a workspace: direct reads, and changes that no method makes, without messages or events. */
export class WorkspaceStore {
  constructor(
    readonly app: TestApp,
    readonly tenantId: number,
    readonly id: string,
  ) {}

  protected get db(): Db {
    return this.app.nest.get(Db);
  }

  /** Revokes an app token, as a rotation does. */
  async revoke(client: { token: string }): Promise<void> {
    const hash = sha256Hex(client.token);
    await this.db.write((tx) => tx.sql.update(Token, { hash }, { revokedAt: this.app.clock.now() }));
  }

  /** Sets the scopes of an app token; those of the app stay the same. */
  async setScopes(client: { token: string }, scopes: readonly string[]): Promise<void> {
    const hash = sha256Hex(client.token);
    await this.db.write((tx) => tx.sql.update(Token, { hash }, { scopes: [...scopes] }));
  }

  /** Renames an app, without clearing any cache of it. */
  async renameApp(appId: string, name: string): Promise<void> {
    await this.db.write((tx) => tx.sql.update(App, { id: appId }, { name }));
  }

  /** Ends all sessions of a user. */
  async endSessions(client: { userId: string }): Promise<void> {
    const of = { accountId: client.userId, endedAt: IsNull() };
    await this.db.write((tx) => tx.sql.update(Session, of, { endedAt: this.app.clock.now() }));
  }

  /** Sets the URL as a manifest would: a Bolt app knows its URL only after its app was created. */
  async setInteractivityUrl(appId: string, interactivityUrl: string): Promise<void> {
    await this.db.write((tx) => tx.sql.update(App, { id: appId }, { interactivityUrl }));
  }

  /** Archives a channel. */
  async archive(channel: { id: string }): Promise<void> {
    await this.db.write((tx) => tx.sql.update(Conversation, { id: channel.id }, { isArchived: true }));
  }

  /** Deactivates a user, which no method and no route of the control plane does. */
  async deactivate(user: { id: string }): Promise<void> {
    await this.db.write((tx) => tx.sql.update(User, { id: user.id }, { deletedAt: this.app.clock.now() }));
  }

  /** Stores a system message about this user, without the change that it reports. Answers its ts. */
  async system(channel: { id: string }, user: { userId: string }, subtype: string): Promise<string> {
    const place = {
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
      return this.messageLog.append(tx, place, {
        userId: user.userId,
        botId: null,
        subtype,
        text,
        open,
        metadata: null,
      });
    });
  }

  /** For operations that only the message log offers. */
  get messageLog(): MessageLog {
    return this.app.nest.get(MessageLog, { strict: false });
  }

  /** The handle of a user. */
  async handleOf(userId: string): Promise<string> {
    const key = { workspaceId: this.id, id: userId };
    return (await this.db.load((entities) => entities.findOneByOrFail(User, key))).name;
  }

  /** The stored `member_count`, and the actual number of rows. */
  async memberCount(channel: { id: string }): Promise<{ counted: number; rows: number }> {
    const { memberCount } = await this.db.load((entities) =>
      entities.findOneByOrFail(Conversation, { id: channel.id }),
    );
    const rows = await this.db.load((entities) => entities.countBy(Member, { conversationId: channel.id }));
    return { counted: memberCount, rows };
  }

  /** The inner objects of the events recorded in this workspace, oldest first. */
  async recorded(kind?: string): Promise<Record<string, unknown>[]> {
    const where = { tenantId: this.tenantId, ...(kind === undefined ? {} : { kind }) };
    const rows = await this.db.load((entities) => entities.find(LoggedEvent, { where, order: { id: 'ASC' } }));
    for (const row of rows) checkEvent(row.kind, row.data);
    return rows.map((row) => JSON.parse(row.data) as Record<string, unknown>);
  }
}
