import { Injectable } from '@nestjs/common';
import { Db, type Tx } from '../../kernel/database/db.js';
import { MessagingError } from '../wire/codes.js';
import type { Conversation, ConversationType } from '../store/conversation.entity.js';
import type { Identity, ScopeRule, VisibleConversation } from './identity.js';
import {
  CONVERSATION_BY_ID,
  CONVERSATION_BY_NAME,
  LOCK_CONVERSATION,
  IS_MEMBER,
} from './conversation-access.queries.js';

/** A caller within one method call: the method's requirements, and what was loaded together with the credential. */
export interface Caller extends Identity {
  /** The scopes that the called method requires of app tokens; absent outside method calls. */
  readonly rule?: ScopeRule;
  /** The conversation the call named, loaded together with the credential; null when there is none of that id. */
  named?: { readonly id: string; readonly conversation: VisibleConversation | null } | undefined;
}

/**
 * Access to conversations: they are only loaded through here, where visibility is checked
 * (docs/reference/chat.md#resolving-a-conversation).
 */
@Injectable()
export class ConversationAccess {
  constructor(private readonly db: Db) {}

  /**
   * A conversation that the caller may see, by id, with the method's own requirements on its type.
   * @throws MessagingError channel_not_found, method_not_supported_for_channel_type, missing_scope
   * (docs/reference/chat.md#order-of-checks steps 7, 8)
   */
  async visible(caller: Caller, id: string): Promise<VisibleConversation> {
    const conversation = await this.find(caller, id);
    if (!conversation) throw new MessagingError('channel_not_found');
    requireScopeForType(caller, conversation);
    return conversation;
  }

  /** The same without the method's requirements; null for one that the caller may not see. */
  async find(caller: Caller, id: string): Promise<VisibleConversation | null> {
    if (caller.named?.id === id) return seenBy(caller.named.conversation);
    const [row] = await this.db.read<VisibleConversation>(CONVERSATION_BY_ID, [id, caller.workspaceId, caller.userId]);
    return seenBy(row);
  }

  /** A channel by its name, without `#`; null for one that the caller may not see. */
  async findByName(caller: Identity, name: string): Promise<VisibleConversation | null> {
    if (name.includes('\0')) return null; // PostgreSQL does not store such text, so no channel has that name
    const [row] = await this.db.read<VisibleConversation>(CONVERSATION_BY_NAME, [
      name,
      caller.workspaceId,
      caller.userId,
    ]);
    return seenBy(row);
  }

  /** An id, `#name` or `name`, as chat.postMessage and webhooks take it. */
  async findByIdOrName(caller: Caller, value: string): Promise<VisibleConversation | null> {
    if (caller.named?.id === value) return seenBy(caller.named.conversation);
    if (/^[CDG]0[0-9A-Z]{9}$/.test(value)) {
      const byId = await this.find(caller, value);
      if (byId) return byId;
    }
    return this.findByName(caller, value.startsWith('#') ? value.slice(1) : value);
  }

  /**
   * The same inside a transaction, with the conversation's row locked: decisions based on it stay valid until the
   * commit, and so does the order of its ts.
   */
  async forUpdate(tx: Tx, caller: Caller, id: string): Promise<VisibleConversation & Conversation> {
    const [row] = await tx.query<Conversation>(LOCK_CONVERSATION, [id, caller.workspaceId]);
    if (!row) throw new MessagingError('channel_not_found');
    const conversation = seenBy({ ...row, isMember: await isMember(tx, id, caller.userId) });
    if (!conversation) throw new MessagingError('channel_not_found');
    requireScopeForType(caller, conversation);
    return conversation;
  }
}

/**
 * Whether a user is a member, read by a separate statement after the conversation was locked: the statement that waited
 * for the lock would still see the members from before the wait.
 */
export async function isMember(tx: Tx, conversationId: string, userId: string): Promise<boolean> {
  return (await tx.query(IS_MEMBER, [conversationId, userId])).length === 1;
}

/** Whether a caller with this membership may see a conversation. */
export const isVisible = ({ type, isMember }: VisibleConversation): boolean => type === 'public' || isMember;

const seenBy = <C extends VisibleConversation>(row: C | null | undefined): C | null =>
  row && isVisible(row) ? row : null;

/**
 * docs/reference/chat.md#order-of-checks step 8, and types that the method does not support.
 * @param conversation when the type comes from the arguments (create, list, open), just that type
 * @throws MessagingError method_not_supported_for_channel_type, missing_scope
 */
export function requireScopeForType(caller: Caller, conversation: Pick<VisibleConversation, 'type'>): void {
  const byType = caller.rule?.byType;
  if (!byType) return;
  const accepted = byType[caller.kind === 'bot' ? 'bot' : 'user'][conversation.type];
  if (!accepted) throw new MessagingError('method_not_supported_for_channel_type');
  requireAnyScope(caller, accepted);
}

/** @throws MessagingError missing_scope unless an app token has one of `accepted`; a JWT is exempt */
export function requireAnyScope(caller: Identity, accepted: readonly string[]): void {
  if (caller.kind === 'jwt' || accepted.some((scope) => caller.scopes.includes(scope))) return;
  throw missingScope(accepted, caller.scopes);
}

/**
 * For lists every requested type needs its scope, and the error names all that are missing.
 * @throws MessagingError missing_scope
 */
export function requireScopesForTypes(caller: Caller, types: readonly ConversationType[]): void {
  if (caller.kind === 'jwt') return;
  const byType = caller.rule?.byType?.[caller.kind === 'bot' ? 'bot' : 'user'] ?? {};
  const missing = types
    .map((type) => byType[type] ?? [])
    .filter((accepted) => !accepted.some((scope) => caller.scopes.includes(scope)));
  if (missing.length > 0) throw missingScope(missing.flat(), caller.scopes);
}

/** 403, with the scopes needed and the scopes that the token has (docs/reference/chat.md#envelope). */
export const missingScope = (needed: readonly string[], provided: readonly string[]): MessagingError =>
  new MessagingError('missing_scope', { extra: { needed: needed.join(','), provided: provided.join(',') } });
