import { createContext, useContext } from 'react';
import { displayName, lookUp } from '../api/directory.js';
import type { Message, User, WorkObject } from '../api/wire.js';

/** A work object that was opened, and its message. */
export interface OpenedEntity {
  readonly channel: string;
  readonly ts: string;
  readonly entity: WorkObject;
}

/** State shared by the parts of the chat. */
export interface Chat {
  readonly teamId: string;
  readonly meId: string;
  /** Whether the person this tab acts as is an admin. */
  readonly isAdmin: boolean;
  /** Whether the signed-in person may inspect traffic and act as others. */
  readonly mayInspect: boolean;
  /** Whether the server has files, pins, views and so on. */
  readonly hasAllMethods: boolean;
  readonly users: ReadonlyMap<string, User>;
  /** The message that is being edited. */
  readonly editing: string | null;
  edit(ts: string | null): void;
  openProfile(id: string): void;
  openEntity(opened: OpenedEntity): void;
  channelPath(channel: string, at?: string): string;
  threadPath(channel: string, ts: string): string;
  inspectPath(query: string): string;
  dismiss(channel: string, message: Message): void;
  showJson(message: Message): void;
}

export const ChatContext = createContext<Chat | null>(null);

export function useChat(): Chat {
  const chat = useContext(ChatContext);
  if (!chat) throw new Error('the chat is not here');
  return chat;
}

/** A message's author name: the one the message carries, else its author's. */
export function authorOf(
  message: Message,
  users: ReadonlyMap<string, User>,
): { name: string; id: string | undefined; isBot: boolean; emoji: string | undefined } {
  const user = message.user === undefined ? undefined : users.get(message.user);
  if (message.user !== undefined && !user) lookUp(message.user);
  const name =
    message.username ?? displayName(user) ?? message.bot_profile?.name ?? message.user ?? message.bot_id ?? 'unknown';
  return {
    name,
    id: message.user,
    isBot: message.is_bot === true || message.subtype === 'bot_message' || user?.is_bot === true,
    emoji: message.icons?.emoji?.replace(/^:|:$/g, ''),
  };
}

/** Whether the current person may edit or delete a message. */
export const mayEdit = (message: Message, meId: string): boolean =>
  message.user === meId && !message.is_bot && !message.subtype?.startsWith('channel_') && !message.is_ephemeral;

export const mayDelete = (message: Message, chat: Pick<Chat, 'meId' | 'isAdmin'>): boolean =>
  !message.is_ephemeral && (message.user === chat.meId || chat.isAdmin) && message.subtype !== 'tombstone';
