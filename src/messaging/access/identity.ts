import type { OwnClient } from '../../kernel/http/own-calls.js';
import type { SandboxFlags } from '../../kernel/sandbox/sandbox-flags.js';
import type { Conversation, ConversationType } from '../store/conversation.entity.js';
import type { Role } from '../store/user.entity.js';
import type { MessageApp } from '../wire/message-wire.js';

/** Kinds of credential (docs/reference/chat.md#tokens). */
export type CredentialKind = 'bot' | 'user' | 'jwt' | 'app' | 'refresh' | 'config' | 'openid';

/** Who is calling: one user of one workspace, and for app tokens the app with its scopes. */
export interface Identity {
  readonly kind: CredentialKind;
  readonly tenantId: number;
  /** What holds in the caller's sandbox. */
  readonly sandbox: SandboxFlags;
  readonly workspaceId: string;
  readonly workspaceName: string;
  /** The `<domain>` of the workspace's own host. */
  readonly workspaceDomain: string;
  readonly userId: string;
  /** The user's handle. */
  readonly userName: string;
  readonly role: Role;
  readonly isBot: boolean;
  /** App tokens only. */
  readonly app?: MessageApp;
  /** In manifest order; empty for a JWT, which is exempt (docs/reference/chat.md#scopes). */
  readonly scopes: readonly string[];
  /** Where the method is about the token itself: SHA-256 (hex) of it. */
  readonly tokenHash?: string;
  /** The end of a rotating token, in microseconds by its sandbox's clock. */
  readonly expiresAt?: number;
  /** Its person consented to these scopes, and to no more: it is not who manages the workspace. */
  readonly isConsented?: boolean;
  /** JWT only: the session. */
  readonly sid?: string;
  /** JWT only: the session is one of the web UI, whose reading leaves no trace: neither counted nor journaled nor hit by faults. */
  readonly ui?: boolean;
  /** A token that a sandbox handed out for this person: it opens this workspace and its organization alone. */
  readonly isBound?: boolean;
  /** This process makes the call itself. */
  readonly client?: OwnClient;
  /** Who asked to act as this person, or with this app's token. */
  readonly actedBy?: string;
}

/** Admins and owners. */
export const isAdmin = (caller: Pick<Identity, 'role'>): boolean => caller.role !== 'member';

/** A person, by a session or by a token that an app was given where it was made: not one that the person consented to. */
export const managesAsPerson = <T extends Pick<Identity, 'kind' | 'isConsented'>>(
  caller: T,
): caller is T & { kind: 'jwt' | 'user' } => caller.kind === 'jwt' || (caller.kind === 'user' && !caller.isConsented);

/** Whether the caller holds a scope; a JWT holds all that can be held (docs/reference/chat.md#scopes). */
export const holdsScope = (caller: Identity, scope: string): boolean =>
  caller.kind === 'jwt' || caller.scopes.includes(scope);

/** The ids under which the caller writes and replies: the user, and for a bot its bot id. */
export const authorIds = (caller: Identity): string[] =>
  caller.kind === 'bot' && caller.app ? [caller.userId, caller.app.botId] : [caller.userId];

/**
 * A conversation that the caller may see (docs/reference/chat.md#resolving-a-conversation), with the caller's own part
 * in it.
 */
export interface VisibleConversation extends Omit<Conversation, 'lastTs'> {
  readonly isMember: boolean;
  /** Ims and mpims: the caller closed it, and nothing was said since. */
  readonly isClosed?: boolean;
}

/** Scopes of which any one suffices, by the type of the addressed conversation. A type that is missing is not supported. */
export type ScopesByType = Partial<Record<ConversationType, readonly string[]>>;

/** What a method asks of app tokens. */
export interface ScopeRule {
  /** For every type alike; null = none needed. Set when `byType` is not. */
  readonly any?: readonly string[] | null;
  readonly byType?: { readonly bot: ScopesByType; readonly user: ScopesByType };
}

/** Which methods exist for a caller: what its sandbox says, else the server (SVC_METHODS). */
export const methodsFor = (
  caller: Identity | undefined,
  settings: { readonly methods: 'core' | 'all' },
): 'core' | 'all' => caller?.sandbox.methods ?? settings.methods;
