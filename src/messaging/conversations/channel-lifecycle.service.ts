import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { channelArchived, channelCreated, eventPlaceOf } from '../events/chat-events.js';
import {
  channelRenamed,
  channelUnarchived,
  groupArchived,
  groupRenamed,
  groupUnarchived,
} from '../events/conversation-events.js';
import { MessagingError } from '../wire/codes.js';
import { ConversationAccess, requireScopeForType, type Caller } from '../access/conversation-access.js';
import { Conversation } from '../store/conversation.entity.js';
import { toWireChannel } from '../wire/conversation-wire.js';
import { isAdmin, type VisibleConversation } from '../access/identity.js';
import { Memberships } from '../members/memberships.js';
import { MessageLog } from '../messages/message-log.js';
import { formatTs } from '../store/message-ts.js';
import { archiveMessage, labelMessage, renameMessage, unarchiveMessage } from '../messages/system-messages.js';
import { WorkspaceSetup } from '../provisioning/workspace-setup.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import { ConversationView } from './conversation-view.js';
import type {
  ConversationsArchiveArgs,
  ConversationsCreateArgs,
  ConversationsRenameArgs,
  ConversationsUnarchiveArgs,
} from './conversations.dto.js';
import { ARCHIVE, RENAME, UNARCHIVE } from './conversations.queries.js';

/** Creation, archiving and renaming of channels, and their topic and purpose. */
@Injectable()
export class ChannelLifecycle {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly conversations: ConversationAccess,
    private readonly setup: WorkspaceSetup,
    private readonly memberships: Memberships,
    private readonly log: MessageLog,
    private readonly view: ConversationView,
  ) {}

  async create(caller: Caller, args: ConversationsCreateArgs): Promise<Answer> {
    requireScopeForType(caller, { type: args.is_private ? 'private' : 'public' });
    const channel = await this.db.write(async (tx) => {
      const made = await this.setup.createChannel(tx, {
        workspaceId: caller.workspaceId,
        name: args.name,
        isPrivate: args.is_private,
        creatorId: caller.userId,
        members: [caller.userId],
      });
      if (!made) throw new MessagingError('name_taken');
      const created = await this.conversations.forUpdate(tx, caller, made.id);
      const place = eventPlaceOf(caller, created);
      if (created.type === 'public') {
        tx.record(channelCreated({ ...place, conversation: created, eventTs: this.eventTs() }));
      }
      await this.memberships.announceJoined(tx, place, [caller.userId]);
      return created;
    });
    return { channel: toWireChannel(channel, { flavour: 'create', isMember: true }) };
  }

  async archive(caller: Caller, args: ConversationsArchiveArgs): Promise<void> {
    await this.db.write(async (tx) => {
      const channel = await this.conversations.forUpdate(tx, caller, args.channel);
      if (channel.isArchived) throw new MessagingError('already_archived');
      if (channel.isGeneral) throw new MessagingError('cant_archive_general');
      if (!channel.isMember) throw new MessagingError('not_in_channel');
      await tx.query(ARCHIVE, [channel.id, this.clock.nowMicros()]);
      const place = eventPlaceOf(caller, channel);
      const archived = channel.type === 'public' ? channelArchived : groupArchived;
      tx.record(archived({ ...place, userId: caller.userId, eventTs: this.eventTs() }));
      await this.log.append(tx, place, archiveMessage(place, caller.userId));
    });
  }

  /** The members are those from before it was archived. */
  async unarchive(caller: Caller, args: ConversationsUnarchiveArgs): Promise<void> {
    await this.db.write(async (tx) => {
      const channel = await this.conversations.forUpdate(tx, caller, args.channel);
      if (!channel.isArchived) throw new MessagingError('not_archived');
      if (!channel.isMember) throw new MessagingError('not_in_channel');
      await tx.query(UNARCHIVE, [channel.id, this.clock.nowMicros()]);
      const place = eventPlaceOf(caller, channel);
      const unarchived = channel.type === 'public' ? channelUnarchived : groupUnarchived;
      tx.record(unarchived({ ...place, userId: caller.userId, eventTs: this.eventTs() }));
      await this.log.append(tx, place, unarchiveMessage(place, caller.userId));
    });
  }

  async rename(caller: Caller, args: ConversationsRenameArgs): Promise<Answer> {
    const renamed = await this.db.write(async (tx) => {
      const channel = await this.conversations.forUpdate(tx, caller, args.channel);
      requireOpenToMember(channel);
      if (channel.creatorId !== caller.userId && !isAdmin(caller)) throw new MessagingError('not_authorized');
      if (channel.name === args.name) return channel;
      const row = await this.takeName(tx, channel, args.name);
      const place = eventPlaceOf(caller, channel);
      await this.log.append(tx, place, renameMessage(place, caller.userId, channel.name ?? '', args.name));
      const renamed = channel.type === 'public' ? channelRenamed : groupRenamed;
      tx.record(renamed({ ...place, conversation: row, eventTs: this.eventTs() }));
      return { ...row, isMember: true };
    });
    return { channel: await this.view.info(caller, renamed) };
  }

  /** Sets the topic or the purpose, with a message and event even when it is unchanged; in an im without. */
  async setLabel(caller: Caller, channelId: string, label: 'topic' | 'purpose', value: string): Promise<Answer> {
    const changed = await this.db.write(async (tx) => {
      const conversation = await this.conversations.forUpdate(tx, caller, channelId);
      requireOpenToMember(conversation);
      const at = this.clock.nowMicros();
      const seconds = Math.floor(at / 1e6);
      const labelled =
        label === 'topic'
          ? { topic: value, topicCreator: caller.userId, topicSetAt: seconds, updatedAt: at }
          : { purpose: value, purposeCreator: caller.userId, purposeSetAt: seconds, updatedAt: at };
      await tx.sql.update(Conversation, { id: conversation.id }, labelled);
      const place = eventPlaceOf(caller, conversation);
      const message = labelMessage(place, caller.userId, label, value);
      if (conversation.type !== 'im') await this.log.append(tx, place, message);
      return { ...conversation, ...labelled };
    });
    return { channel: await this.view.info(caller, changed), [label]: value };
  }

  /** The unique index decides whether the name is free. */
  private async takeName(tx: Tx, channel: Conversation, name: string): Promise<Conversation> {
    try {
      const [row] = await tx.query<Conversation>(RENAME, [channel.id, this.clock.nowMicros(), name]);
      return row as Conversation;
    } catch (error) {
      if ((error as { constraint?: string }).constraint === 'conversations_name')
        throw new MessagingError('name_taken');
      throw error;
    }
  }

  private eventTs(): string {
    return formatTs(this.clock.nowMicros());
  }
}

/** @throws MessagingError is_archived, not_in_channel */
export function requireOpenToMember(conversation: VisibleConversation): void {
  if (conversation.isArchived) throw new MessagingError('is_archived');
  if (!conversation.isMember) throw new MessagingError('not_in_channel');
}
