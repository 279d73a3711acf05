import {
  defineChatEvent,
  USER_RULE,
  type HearingRule,
  type InWorkspace,
  type EventPlace,
} from './define-chat-event.js';
import type { AppFunction } from '../wire/app-functions.js';
import type { WorkObject } from '../wire/work-objects.js';

/** Kinds about one app, people and the workspace that are only sent to targets which name them. */

interface ForApp {
  readonly appId: string;
  readonly eventTs: string;
}

/** A message mentions an app's bot. `message` is the message as stored, with its own `ts`. */
export const appMentioned = defineChatEvent<EventPlace & ForApp & { message: Readonly<Record<string, unknown>> }>({
  kind: 'app_mention',
  hears: { scope: 'app_mentions:read', audience: 'app' },
  app: (change) => change.appId,
  wire: ({ message, conversation, workspaceId, eventTs }) => ({
    type: 'app_mention',
    user: message['user'],
    text: message['text'],
    ts: message['ts'],
    team: workspaceId,
    channel: conversation.id,
    ...present(message, ['thread_ts', 'parent_user_id', 'blocks', 'attachments', 'files', 'edited']),
    ...present(message, ['bot_id', 'app_id', 'bot_profile', 'is_bot']),
    ...(message['subtype'] === 'bot_message' && { subtype: 'bot_message' }),
    event_ts: eventTs,
  }),
});

const present = (message: Readonly<Record<string, unknown>>, keys: readonly string[]): object =>
  Object.fromEntries(keys.filter((key) => message[key] !== undefined).map((key) => [key, message[key]]));

/** A new message contains links to an app's domains. */
export const linkShared = defineChatEvent<
  EventPlace &
    ForApp & {
      userId: string | undefined;
      ts: string;
      threadTs: string | undefined;
      links: readonly { url: string; domain: string }[];
      isMember: boolean;
      unfurlId: string;
    }
>({
  kind: 'link_shared',
  hears: { scope: 'links:read', audience: 'app' },
  app: (change) => change.appId,
  wire: (change) => ({
    type: 'link_shared',
    user: change.userId,
    channel: change.conversation.id,
    message_ts: change.ts,
    thread_ts: change.threadTs,
    links: change.links,
    is_bot_user_member: change.isMember,
    unfurl_id: change.unfurlId,
    source: 'conversations_history',
    event_ts: change.eventTs,
  }),
});

/** A person opened a work object of the app and waits for its details. */
export const entityDetailsRequested = defineChatEvent<
  EventPlace &
    ForApp & {
      userId: string;
      triggerId: string;
      entity: WorkObject;
      ts: string;
      threadTs: string | undefined;
    }
>({
  kind: 'entity_details_requested',
  hears: { scope: null, audience: 'app' },
  app: (change) => change.appId,
  wire: ({ userId, triggerId, entity, conversation, ts, threadTs, eventTs }) => {
    const link = entity.app_unfurl_url ?? entity.url;
    return {
      type: 'entity_details_requested',
      user: userId,
      trigger_id: triggerId,
      user_locale: 'en-US',
      entity_url: entity.url,
      external_ref: entity.external_ref,
      link: { url: link, domain: new URL(link).hostname },
      app_unfurl_url: entity.app_unfurl_url,
      channel: conversation.id,
      message_ts: ts,
      thread_ts: threadTs,
      event_ts: eventTs,
    };
  },
});

/** A custom step of the app began. Its token is added when the event is sent. */
export const functionExecuted = defineChatEvent<
  InWorkspace &
    ForApp & {
      step: AppFunction;
      inputs: Readonly<Record<string, unknown>>;
      executionId: string;
      workflowExecutionId: string;
    }
>({
  kind: 'function_executed',
  hears: { scope: null, audience: 'app' },
  app: (change) => change.appId,
  wire: ({ step, inputs, executionId, workflowExecutionId, eventTs }) => ({
    type: 'function_executed',
    function: step.wire,
    inputs,
    function_execution_id: executionId,
    workflow_execution_id: workflowExecutionId,
    event_ts: eventTs,
  }),
});

interface OfUser extends InWorkspace {
  /** The user object with its e-mail address and locale. */
  readonly user: object;
  readonly cacheTs: number;
  readonly eventTs: string;
}

const ofUser = (kind: 'team_join' | 'user_profile_changed' | 'user_status_changed') =>
  defineChatEvent<OfUser>({
    kind,
    hears: USER_RULE,
    wire: (change) => ({ type: kind, user: change.user, cache_ts: change.cacheTs, event_ts: change.eventTs }),
  });

export const teamJoined = ofUser('team_join');
export const userProfileChanged = ofUser('user_profile_changed');
export const userStatusChanged = ofUser('user_status_changed');

const ofTeam = (): HearingRule => ({ scope: 'team:read', audience: 'everyone' });

export const teamRenamed = defineChatEvent<InWorkspace & { name: string; eventTs: string }>({
  kind: 'team_rename',
  hears: ofTeam(),
  wire: ({ name, eventTs }) => ({ type: 'team_rename', name, event_ts: eventTs }),
});

export const teamDomainChanged = defineChatEvent<InWorkspace & { url: string; domain: string; eventTs: string }>({
  kind: 'team_domain_change',
  hears: ofTeam(),
  wire: ({ url, domain, eventTs }) => ({ type: 'team_domain_change', url, domain, event_ts: eventTs }),
});

/** Users whose user tokens, and bots whose bot tokens, were revoked. */
export const tokensRevoked = defineChatEvent<
  InWorkspace & ForApp & { userIds: readonly string[]; botUserIds: readonly string[] }
>({
  kind: 'tokens_revoked',
  hears: { scope: null, audience: 'app' },
  app: (change) => change.appId,
  wire: (change) => ({
    type: 'tokens_revoked',
    tokens: { oauth: change.userIds, bot: change.botUserIds },
    event_ts: change.eventTs,
  }),
});

export const appUninstalled = defineChatEvent<InWorkspace & ForApp>({
  kind: 'app_uninstalled',
  hears: { scope: null, audience: 'app' },
  app: (change) => change.appId,
  wire: ({ eventTs }) => ({ type: 'app_uninstalled', event_ts: eventTs }),
});
