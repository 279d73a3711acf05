import type { DomainEvent } from '../../kernel/events/event.js';
import { userUrl } from '../values/urls.js';
import type { Viewer } from '../access/viewer.js';
import type { EntityKey } from '../store/entity-rows.js';

/**
 * The wire's `type` of each entity that events tell of, and its word in realtime
 * (docs/reference/tracker-webhooks.md#what-fires, docs/reference/realtime.md#tracker).
 */
const words = {
  Comment: 'comment',
  Cycle: 'cycle',
  Issue: 'issue',
  IssueLabel: 'label',
  Organization: 'organization',
  Project: 'project',
  Team: 'team',
  TeamMembership: 'teamMembership',
  User: 'user',
  Webhook: 'webhook',
  WorkflowState: 'workflowState',
} as const;

export type EventType = keyof typeof words | EntityKey;

/** What a webhook that names nothing is told of (docs/reference/tracker-webhooks.md#what-fires). */
export const FIRING_TYPES: readonly EventType[] = ['Issue', 'Comment', 'IssueLabel', 'Project', 'Cycle', 'User'];

const wordOf = new Map<EventType, string>(Object.entries(words) as [EventType, string][]);
const firing = new Set(FIRING_TYPES);

/** The events of an entity that is declared. @param isFired whether webhooks are told of them as well */
export function defineEventType(type: EventType, word: string, isFired: boolean): void {
  wordOf.set(type, word);
  if (isFired) firing.add(type);
}

/** Whether webhooks can be told of it; other events are realtime's alone. */
export const isFiring = (type: string): boolean => firing.has(type as EventType);

/** What the webhook of an application alone is told (docs/reference/tracker-oauth.md#webhooks). */
export type AppEventType = 'AgentSessionEvent' | 'AppUserNotification' | 'OAuthApp' | 'PermissionChange';

export type EventAction = 'create' | 'update' | 'remove';

const endings = { create: 'created', update: 'updated', remove: 'removed' } as const;

/** What deliveries to webhooks are about: `issue.created`. */
export const firingKinds = (): string[] =>
  [...firing].flatMap((type) => Object.values(endings).map((ending) => `${wordOf.get(type)}.${ending}`));

/**
 * Keys of `data` that are derived, and therefore never in `updatedFrom` (docs/reference/tracker-webhooks.md#envelope:
 * stored scalars and id lists).
 */
const DERIVED = new Set(['identifier', 'priorityLabel', 'uncompletedIssuesUponCloseIds', 'url']);

/** The properties of an event that delivery planning needs. */
export interface TrackerEventFacts {
  organizationId: string;
  type: EventType | AppEventType;
  /** The application whose own webhook alone gets it; absent: all webhooks that ask for its type. */
  applicationId?: string;
  /** The teams it belongs to; empty for an event of the whole organization. */
  teamIds: readonly string[];
  /** No private team hides it: webhooks for all teams get it. */
  isPublic: boolean;
}

export interface TrackerChange {
  /** `PublicUrl.base`. */
  web: string;
  viewer: Viewer;
  type: EventType;
  action: EventAction;
  /**
   * The entity after the change (before it for `remove`), with the keys of docs/reference/tracker-webhooks.md#envelope.
   * May contain nulls.
   */
  data: Readonly<Record<string, unknown>>;
  /** For `update`: the same object made from the row before the change. */
  previous?: Readonly<Record<string, unknown>> | undefined;
  url: string;
  at: Date;
  /** The teams it belongs to (all of a project's, both of a move); leave it out for what belongs to the organization. */
  teams?: readonly { id: string; private: boolean }[];
  /** Only admins receive it: `webhook.*`. */
  adminsOnly?: boolean;
  /** Only this user receives it: `notification.*`. */
  userId?: string;
}

/**
 * A tracker event, to be given to `tx.record`. What is stored is the envelope of
 * docs/reference/tracker-webhooks.md#envelope without `webhookId` and `webhookTimestamp`; `event` and `lastSyncId` are
 * columns of the log and put back by `realtimePayload`.
 *
 * Rooms: `org:<id>` everybody, `org:<id>/admins`, `org:<id>/users/<id>`, and `org:<id>/teams/<id>,<id>` members of one of
 * these private teams.
 */
export function trackerEvent(change: TrackerChange): DomainEvent {
  const { viewer, type, action, data, previous, web, teams = [] } = change;
  const isPublic = teams.length === 0 || teams.some((team) => !team.private);
  const room = `org:${viewer.organizationId}`;
  const facts: TrackerEventFacts = {
    organizationId: viewer.organizationId,
    type,
    teamIds: teams.map((team) => team.id),
    isPublic,
  };
  const envelope = {
    action,
    actor: actorOf(web, viewer),
    createdAt: change.at.toISOString(),
    data: withoutNulls(data),
    ...(action === 'update' && previous && { updatedFrom: updatedFrom(previous, data) }),
    url: change.url,
    type,
    organizationId: viewer.organizationId,
  };
  return {
    tenantId: viewer.tenantId,
    product: 'tracker',
    kind: `${wordOf.get(type)}.${endings[action]}`,
    room: `${room}${audienceOf(change, facts)}`,
    data: JSON.stringify(envelope),
    facts,
  };
}

/** The part of an event's room that says who of the organization hears it. */
function audienceOf({ adminsOnly, userId }: TrackerChange, { isPublic, teamIds }: TrackerEventFacts): string {
  if (adminsOnly) return '/admins';
  if (userId !== undefined) return `/users/${userId}`;
  return isPublic ? '' : `/teams/${teamIds.toSorted().join(',')}`;
}

/** The one argument of a realtime event (docs/reference/realtime.md#tracker), out of the log's row, as JSON text. */
export const realtimePayload = (logged: { kind: string; syncId: number | null; data: string }): string =>
  `{"event":${JSON.stringify(logged.kind)},${logged.data.slice(1, -1)},"lastSyncId":${logged.syncId ?? 0}}`;

function actorOf(web: string, viewer: Viewer): object {
  return {
    id: viewer.userId,
    type: 'user',
    name: viewer.name,
    email: viewer.email,
    url: userUrl(web, viewer.urlKey, viewer.displayName),
    ...(viewer.avatarUrl !== null && { avatarUrl: viewer.avatarUrl }),
  };
}

/**
 * Keys with null values are left out, in nested objects too; `botActor` stays
 * (docs/reference/tracker-webhooks.md#envelope).
 */
function withoutNulls(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const shown = Object.entries(data).flatMap(([key, value]): [string, unknown][] => {
    if (value === undefined || (value === null && key !== 'botActor')) return [];
    return [[key, isPlainObject(value) ? withoutNulls(value) : value]];
  });
  return Object.fromEntries(shown);
}

/** The previous values of the stored scalars and id lists that changed, always including `updatedAt`. */
function updatedFrom(
  previous: Readonly<Record<string, unknown>>,
  data: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const changed = Object.keys(previous).filter((key) => {
    if (key === 'updatedAt') return true;
    const [was, is] = [previous[key] ?? null, data[key] ?? null];
    return !DERIVED.has(key) && isScalarOrIds(was) && isScalarOrIds(is) && JSON.stringify(was) !== JSON.stringify(is);
  });
  return Object.fromEntries(changed.map((key) => [key, previous[key] ?? null]));
}

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

const isScalarOrIds = (value: unknown): boolean =>
  value === null ||
  typeof value !== 'object' ||
  value instanceof Date ||
  (Array.isArray(value) && value.every((entry) => typeof entry === 'string'));
