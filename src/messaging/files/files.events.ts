import { defineChatEvent, type InWorkspace, type EventPlace } from '../events/define-chat-event.js';

interface FileChange extends InWorkspace {
  readonly fileId: string;
  readonly userId: string;
  /** The uploader's app. */
  readonly appId: string | undefined;
  /** Conversations that the file is in. */
  readonly channels: readonly string[];
  readonly eventTs: string;
}

export const filePublic = defineChatEvent<FileChange>({
  kind: 'file_public',
  hears: { scope: 'files:read', audience: 'members' },
  app: (change) => change.appId,
  conversationIds: (change) => change.channels,
  wire: (change) => ({
    type: 'file_public',
    file_id: change.fileId,
    user_id: change.userId,
    file: { id: change.fileId },
    event_ts: change.eventTs,
  }),
});

export const fileCreated = defineChatEvent<FileChange>({
  kind: 'file_created',
  hears: { scope: 'files:read', audience: 'members' },
  app: (change) => change.appId,
  conversationIds: (change) => change.channels,
  wire: (change) => ({
    type: 'file_created',
    file_id: change.fileId,
    user_id: change.userId,
    file: { id: change.fileId },
    event_ts: change.eventTs,
  }),
});

export const fileShared = defineChatEvent<EventPlace & { fileId: string; userId: string; eventTs: string }>({
  kind: 'file_shared',
  hears: { scope: 'files:read', audience: 'members' },
  wire: (change) => ({
    type: 'file_shared',
    file_id: change.fileId,
    user_id: change.userId,
    file: { id: change.fileId },
    channel_id: change.conversation.id,
    event_ts: change.eventTs,
  }),
});

export const fileDeleted = defineChatEvent<
  InWorkspace & { fileId: string; channels: readonly string[]; eventTs: string }
>({
  kind: 'file_deleted',
  hears: { scope: 'files:read', audience: 'members' },
  conversationIds: (change) => change.channels,
  wire: (change) => ({
    type: 'file_deleted',
    file_id: change.fileId,
    channel_ids: change.channels,
    event_ts: change.eventTs,
  }),
});
