import type { DomainEvent } from '../../kernel/events/event.js';
import type { AppEventType, TrackerEventFacts } from './tracker-events.js';

/** An organization, and the tenant that it belongs to. */
export interface OauthTenant {
  readonly organizationId: string;
  readonly tenantId: number;
}

interface ApplicationNews extends OauthTenant {
  readonly applicationId: string;
  readonly at: Date;
}

/**
 * What an application's own webhook alone is told (docs/reference/tracker-oauth.md#webhooks): nobody hears of it on a
 * socket.
 */
export function applicationEvent(
  type: AppEventType,
  action: string,
  { organizationId, tenantId, applicationId, at }: ApplicationNews,
  more: Readonly<Record<string, unknown>> = {},
): DomainEvent {
  const facts: TrackerEventFacts = { organizationId, type, applicationId, teamIds: [], isPublic: true };
  return {
    tenantId,
    product: 'tracker',
    kind: `${type}.${action}`,
    room: `org:${organizationId}/applications`,
    data: JSON.stringify({
      action,
      createdAt: at.toISOString(),
      oauthClientId: applicationId,
      ...more,
      type,
      organizationId,
    }),
    facts,
  };
}
