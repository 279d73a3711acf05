import { defineEvent, type DomainEvent, type EventDefinition } from '../../kernel/events/event.js';
import type { Conversation, ConversationType } from '../store/conversation.entity.js';

/** The place where something happened. */
export interface EventPlace {
  readonly tenantId: number;
  readonly workspaceId: string;
  readonly conversation: Pick<Conversation, 'id' | 'type'>;
}

/** Something of the whole workspace. */
export interface InWorkspace {
  readonly tenantId: number;
  readonly workspaceId: string;
}

/** Where a caller does something. */
export const eventPlaceOf = (caller: InWorkspace, conversation: EventPlace['conversation']): EventPlace => ({
  tenantId: caller.tenantId,
  workspaceId: caller.workspaceId,
  conversation: { id: conversation.id, type: conversation.type },
});

/** One scope, one by type of conversation, or none needed. */
export type EventScope = string | null | Readonly<Record<ConversationType, string>>;

/**
 * Which identities hear of an event, beside the scope:
 * - `everyone`: no membership is needed
 * - `members`: of the conversation, or of any of `conversationIds`; also `subjectId`, and every identity of `appId`
 * - `subject`: only the identity that the event is about (`subjectId`)
 * - `app`: only the app `appId`
 */
export type Audience = 'everyone' | 'members' | 'subject' | 'app';

/** The receiver of an event. */
export interface EventViewer {
  /** Null when many see the same. */
  readonly userId: string | null;
  readonly seesEmails: boolean;
}

/** Who may receive a kind of event, and what they see of it. Deliveries, realtime and sockets use only this. */
export interface HearingRule {
  readonly scope: EventScope;
  readonly audience: Audience;
  /** Also sent over the realtime channel. */
  readonly isRealtime?: boolean;
  /** The inner event as a viewer sees it; must not modify its argument. Absent: all see the same. */
  readonly redact?: (inner: object, viewer: EventViewer) => object;
  /** Names by which targets ask for this event in conversations of one type, beside that of its kind. */
  readonly namesByType?: Readonly<Record<ConversationType, string>>;
  /** The event's `user` becomes, or stops being, a member of its conversation. */
  readonly membership?: 'joins' | 'leaves';
}

/** What delivery planning needs to know about one event; not stored. */
export interface ChatFacts {
  readonly workspaceId: string;
  readonly hears: HearingRule;
  /** Absent for kinds without a channel. */
  readonly conversation?: { readonly id: string; readonly type: ConversationType };
  /** Further conversations whose members receive it (a file that is in several). */
  readonly conversationIds?: readonly string[];
  /** The user who left (a member before the change), or the only user it concerns. */
  readonly subjectId?: string | undefined;
  /** The only app that receives it; with the audience `members`, one more. */
  readonly appId?: string | undefined;
}

interface ChatEventOptions<C> {
  readonly kind: string;
  /** Null: only sockets in the event's room receive it, and no scope is required. */
  readonly hears: HearingRule | null;
  /** Default: the conversation's, else the workspace's. */
  readonly room?: (change: C) => string;
  /** The inner object, or its JSON text. */
  readonly wire: (change: C) => object | string;
  readonly subject?: (change: C) => string | undefined;
  readonly app?: (change: C) => string | undefined;
  readonly conversationIds?: (change: C) => readonly string[];
}

const rules = new Map<string, HearingRule>();

/** The rule of a declared kind; undefined: no one receives it. */
export const hearingRuleOf = (kind: string): HearingRule | undefined => rules.get(kind);

/** The kinds that were declared. */
export const declaredKinds = (): readonly string[] => [...rules.keys()];

/** The scope that an event requires; null: none; undefined: it depends on an unknown type of conversation. */
export function scopeFor({ scope }: HearingRule, type: ConversationType | undefined): string | null | undefined {
  if (scope === null || typeof scope === 'string') return scope;
  return type && scope[type];
}

/** SQL for a scope that depends on the type of conversation. @param type an expression for the type */
const sqlScopeByType = (scope: Readonly<Record<ConversationType, string>>, type: string): string =>
  `CASE ${type} ${Object.entries(scope)
    .map(([of, name]) => `WHEN '${of}' THEN '${name}'`)
    .join(' ')} END`;

/**
 * A rule as columns of a statement that records events: scope, audience, named_by_type.
 * @param type an expression for the type of conversation, where the scope depends on it
 */
export function sqlHearing({ scope, audience, namesByType }: HearingRule, type = 'NULL'): [string, string, string] {
  const needed = scope === null ? 'NULL' : typeof scope === 'string' ? `'${scope}'` : sqlScopeByType(scope, type);
  return [needed, `'${audience}'`, String(namesByType !== undefined)];
}

/** The same, with the columns' names. */
export function sqlHearingColumns(rule: HearingRule, type?: string): string {
  const [scope, audience, isNamedByType] = sqlHearing(rule, type);
  return `${scope} AS scope, ${audience} AS audience, ${isNamedByType} AS named_by_type`;
}

export const conversationRoom = (id: string): string => `conversation:${id}`;
export const userRoom = (id: string): string => `user:${id}`;
export const teamRoom = (id: string): string => `team:${id}`;

/** Every event with a user object. */
export const USER_RULE = {
  scope: 'users:read',
  audience: 'everyone',
  redact: withoutUserEmail,
} as const satisfies HearingRule;

/**
 * Declares a kind of chat event beside the operations that cause it: its payload and its receivers. Definitions of one
 * kind (a message that is posted, edited, deleted) share one rule.
 */
export function defineChatEvent<C extends InWorkspace>(options: ChatEventOptions<C>): EventDefinition<C> {
  const { kind, hears } = options;
  const known = rules.get(kind);
  if (hears && known && known !== hears) throw new Error(`the event ${kind} is declared with two rules`);
  if (hears) rules.set(kind, hears);
  const conversationOf = (change: C): EventPlace['conversation'] | undefined =>
    (change as Partial<Pick<EventPlace, 'conversation'>>).conversation;
  const factsOf = (change: C): ChatFacts | undefined => {
    if (!hears) return undefined;
    const conversation = conversationOf(change);
    const conversationIds = options.conversationIds?.(change);
    return {
      workspaceId: change.workspaceId,
      hears,
      ...(conversation && { conversation: { id: conversation.id, type: conversation.type } }),
      ...(conversationIds && { conversationIds }),
      subjectId: options.subject?.(change),
      appId: options.app?.(change),
    };
  };
  return defineEvent<C>({
    product: 'chat',
    kind,
    tenantId: (change) => change.tenantId,
    room: (change) => {
      if (options.room) return options.room(change);
      const conversation = conversationOf(change);
      return conversation ? conversationRoom(conversation.id) : teamRoom(change.workspaceId);
    },
    wire: options.wire,
    facts: factsOf,
  });
}

/** For `redact`: an inner event with a user object loses the address for viewers who may not see e-mail addresses. */
export function withoutUserEmail(inner: object, viewer: EventViewer): object {
  if (viewer.seesEmails) return inner;
  const { user } = inner as { user: { profile: Record<string, unknown> } };
  const { email: _, ...profile } = user.profile;
  return { ...inner, user: { ...user, profile } };
}

export type { DomainEvent };
