import { defineChatEvent, type HearingRule, type InWorkspace } from '../events/define-chat-event.js';

interface OfGroup extends InWorkspace {
  /** The group with its users. */
  readonly subteam: Readonly<Record<string, unknown>>;
  readonly eventTs: string;
}

const everyone = (): HearingRule => ({ scope: 'usergroups:read', audience: 'everyone' });

const ofGroup = (kind: 'subteam_created' | 'subteam_updated') =>
  defineChatEvent<OfGroup>({
    kind,
    hears: everyone(),
    wire: ({ subteam, eventTs }) => ({ type: kind, subteam, event_ts: eventTs }),
  });

export const subteamCreated = ofGroup('subteam_created');
export const subteamUpdated = ofGroup('subteam_updated');

/** Times are seconds. */
export const subteamMembersChanged = defineChatEvent<
  InWorkspace & {
    groupId: string;
    previousUpdate: number;
    update: number;
    added: readonly string[];
    removed: readonly string[];
    eventTs: string;
  }
>({
  kind: 'subteam_members_changed',
  hears: everyone(),
  wire: ({ groupId, workspaceId, previousUpdate, update, added, removed, eventTs }) => ({
    type: 'subteam_members_changed',
    subteam_id: groupId,
    team_id: workspaceId,
    date_previous_update: previousUpdate,
    date_update: update,
    added_users: added,
    added_users_count: added.length,
    removed_users: removed,
    removed_users_count: removed.length,
    event_ts: eventTs,
  }),
});

/** Only an identity of that user hears it. */
const ofOneself = (kind: 'subteam_self_added' | 'subteam_self_removed') =>
  defineChatEvent<InWorkspace & { groupId: string; userId: string; eventTs: string }>({
    kind,
    hears: { scope: 'usergroups:read', audience: 'subject' },
    subject: ({ userId }) => userId,
    wire: ({ groupId, eventTs }) => ({ type: kind, subteam_id: groupId, event_ts: eventTs }),
  });

export const subteamSelfAdded = ofOneself('subteam_self_added');
export const subteamSelfRemoved = ofOneself('subteam_self_removed');
