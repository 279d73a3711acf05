import type { Conversation, ConversationType } from './conversation.entity.js';
import type { MessageApp } from './message-wire.js';

/** Kinds of credential (messaging.md A.4). */
export type CredentialKind = 'bot' | 'user' | 'jwt';

export type Role = 'primary_owner' | 'owner' | 'admin' | 'member';

/** Who is calling: one user of one workspace, and for app tokens the app with its scopes. */
export interface Identity {
  readonly kind: CredentialKind;
  readonly tenantId: number;
  readonly workspaceId: string;
  readonly userId: string;
  /** The user's handle. */
  readonly userName: string;
  readonly role: Role;
  readonly isBot: boolean;
  /** App tokens only. */
  readonly app?: MessageApp;
  /** In manifest order; empty for a JWT, which is exempt (A.8). */
  readonly scopes: readonly string[];
  /** JWT only: the session. */
  readonly sid?: string;
}

/** Admins and owners. */
export const isAdmin = (caller: Pick<Identity, 'role'>): boolean => caller.role !== 'member';

/** Whether the caller holds a scope; a JWT holds all that can be held (A.8). */
export const holdsScope = (caller: Identity, scope: string): boolean =>
  caller.kind === 'jwt' || caller.scopes.includes(scope);

/** The ids under which the caller writes and replies: the user, and for a bot its bot id. */
export const authorIds = (caller: Identity): string[] =>
  caller.kind === 'bot' && caller.app ? [caller.userId, caller.app.botId] : [caller.userId];

/** A conversation that the caller may see (A.12), with the caller's own part in it. */
export interface VisibleConversation extends Conversation {
  readonly isMember: boolean;
}

/** Scopes of which any one suffices, by the type of the addressed conversation. A type that is missing is not supported. */
export type ScopesByType = Partial<Record<ConversationType, readonly string[]>>;

/** What a method asks of app tokens. */
export interface ScopeRule {
  /** For every type alike; null = none needed. Set when `byType` is not. */
  readonly any?: readonly string[] | null;
  readonly byType?: { readonly bot: ScopesByType; readonly user: ScopesByType };
}
