import { Entity, ForeignKey, Index } from 'typeorm';
import { ExactText } from '../../kernel/database/columns.js';
import { boolean, having, id, text, times } from './filter-keys.js';
import { connectionsOf, linked, of } from './connections.js';
import { ownName } from './sort-keys.js';
import { byUuid, defineEntity } from './define-entity.js';
import { nullable, OwnedRow, Stored } from './row.js';

@Entity('tracker_users')
@Index('tracker_users_account', ['accountId', 'organizationId'], { unique: true })
@Index('tracker_users_display_name', { synchronize: false })
@Index('tracker_users_of_application', ['applicationId', 'organizationId'], {
  unique: true,
  where: 'application_id IS NOT NULL',
})
@Index('tracker_users_page', ['organizationId', 'createdAt', 'id'])
@ForeignKey('organizations', ['organizationId'], ['id'], { onDelete: 'CASCADE' })
export class User extends OwnedRow {
  @ExactText() accountId: string;
  @Stored('text') name: string;
  @Stored('text') displayName: string;
  @Stored('text') email: string;
  @Stored('boolean', { default: true }) active: boolean;
  @Stored('boolean', { default: false }) admin: boolean;
  @Stored('boolean', { default: false }) owner: boolean;
  @Stored('text', nullable) title: string | null;
  @Stored('text', nullable) description: string | null;
  @Stored('text', nullable) avatarUrl: string | null;
  @Stored('text', nullable) timezone: string | null;
  @Stored('text', nullable) statusEmoji: string | null;
  @Stored('text', nullable) statusLabel: string | null;
  @Stored('timestamptz', nullable) statusUntilAt: Date | null;
  @Stored('text', nullable) disableReason: string | null;
  @Stored('timestamptz', nullable) lastSeen: Date | null;
  /** The application whose own user it is; null: a person. */
  @Stored('uuid', nullable) applicationId: string | null;
  @Stored('boolean', { default: true }) canBeAssigned: boolean;
  @Stored('boolean', { default: true }) canBeMentioned: boolean;
  /** False: it sees the teams of which it is a member, and no others. */
  @Stored('boolean', { default: true }) allPublicTeams: boolean;
}

/** Whether it is a person who sees the teams of which they are a member alone. */
export const isGuest = ({ applicationId, allPublicTeams }: User): boolean => applicationId === null && !allPublicTeams;

declare module './entity-rows.js' {
  interface EntityRows {
    User: User;
  }
}

defineEntity('User', {
  row: User,
  alias: 'u',
  changes: { name: 'tracker_user', follows: ['last_seen'] },
  title: (a) => `${a}.name`,
  listed: (alias, _scope, { includeDisabled }) => (includeDisabled ? undefined : `${alias}.active`),
  lookup: (id, { userId }) => (id === 'me' ? { by: 'id', value: userId } : byUuid(id)),
  filter: {
    id,
    ...times,
    name: text('name'),
    displayName: text('display_name'),
    email: text('email'),
    active: boolean('active'),
    admin: boolean('admin'),
    owner: boolean('owner'),
    app: { is: 'boolean', sql: (a) => `(${a}.application_id IS NOT NULL)` },
    isMe: { is: 'boolean', sql: (a, s) => `(${a}.id = ${s.userId})` },
    assignedIssues: having('Issue', 'assignee_id'),
  },
  sorts: { displayName: ownName('display_name'), name: ownName('name') },
});

/** The connections below an User. */
export const userConnections = connectionsOf('User', {
  assignedIssues: of('Issue', 'assignee_id'),
  createdIssues: of('Issue', 'creator_id'),
  delegatedIssues: of('Issue', 'delegate_id'),
  teams: linked('Team', 'team_memberships', 'user_id', 'team_id'),
  teamMemberships: of('TeamMembership', 'user_id'),
});
