import { RESERVED_NAMES } from './channel-name.js';
import type { Usergroup } from '../store/usergroup.entity.js';

/** A user group as methods and events show it. */
export function toWireUsergroup(
  group: Usergroup,
  shown: { readonly users: boolean; readonly counts: boolean },
): Record<string, unknown> {
  return {
    id: group.id,
    team_id: group.workspaceId,
    is_usergroup: true,
    is_subteam: true,
    name: group.name,
    description: group.description,
    handle: group.handle,
    is_external: false,
    date_create: group.createdAt,
    date_update: group.updatedAt,
    date_delete: group.deletedAt ?? 0,
    auto_type: null,
    auto_provision: false,
    enterprise_subteam_id: '',
    created_by: group.createdBy,
    updated_by: group.updatedBy,
    deleted_by: group.deletedBy,
    prefs: { channels: group.channelIds, groups: group.groupIds },
    ...(shown.users && { users: group.userIds }),
    ...(shown.counts && {
      user_count: group.userIds.length,
      channel_count: group.channelIds.length + group.groupIds.length,
    }),
  };
}

export const MAX_GROUP_NAME = 255;
export const MAX_GROUP_DESCRIPTION = 140;
/** Most user groups of a workspace, disabled ones included. */
export const MAX_GROUPS = 1_000;

const HANDLE = /^[a-z0-9][a-z0-9._-]{0,20}$/;

/** The first code that applies to a handle; undefined: it is fit. */
export function handleFault(handle: string): 'bad_handle' | 'forbidden_handle' | undefined {
  if (!HANDLE.test(handle)) return 'bad_handle';
  return RESERVED_NAMES.has(handle) ? 'forbidden_handle' : undefined;
}

/** The handle of a group that is given none. */
export const handleOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+/, '')
    .slice(0, 21)
    .replace(/-$/, '');
