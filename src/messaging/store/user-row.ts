import type { Role } from '../access/identity.js';

/**
 * What is stored of a profile; the rest of docs/reference/chat.md#profiles is derived when it is read. Keys are the
 * wire's own.
 */
export interface StoredProfile {
  real_name?: string;
  display_name?: string;
  first_name?: string;
  last_name?: string;
  title?: string;
  phone?: string;
  skype?: string;
  pronouns?: string;
  status_text?: string;
  status_emoji?: string;
  /** Unix seconds, 0 = never. */
  status_expiration?: number;
  /** Custom fields by id (`Xf…`). */
  fields?: Record<string, { value: string; alt: string }>;
}

/** An account in a workspace: a person or a bot (docs/reference/chat.md#users). Times are microseconds since 1970. */
export interface User {
  workspaceId: string;
  id: string;
  /** The handle. */
  name: string;
  role: Role;
  isBot: boolean;
  /** Bots only. */
  appId: string | null;
  botId: string | null;
  email: string | null;
  profile: StoredProfile;
  presence: 'auto' | 'away';
  color: string;
  createdAt: number;
  updatedAt: number;
  /** Deactivated. */
  isDeleted: boolean;
}

/** Columns of a user under their property names, for statements that load it whole. */
export const userColumns = (alias: string): string =>
  Object.entries({
    workspaceId: 'workspace_id',
    id: 'id',
    name: 'name',
    role: 'role',
    isBot: 'is_bot',
    appId: 'app_id',
    botId: 'bot_id',
    email: 'email',
    profile: 'profile',
    presence: 'presence',
    color: 'color',
    createdAt: 'created_at',
    updatedAt: 'updated_at',
  })
    .map(([property, column]) => `${alias}.${column} AS "${property}"`)
    .concat(`${alias}.deleted_at IS NOT NULL AS "isDeleted"`)
    .join(', ');
