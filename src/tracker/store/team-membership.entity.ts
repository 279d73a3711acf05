import { Entity, ForeignKey, Index } from 'typeorm';
import { teamAccess } from './hidden-teams.js';
import { defineEntity } from './define-entity.js';
import { OwnedRow, Stored } from './row.js';

@Entity('team_memberships')
@Index('team_memberships_pair', ['teamId', 'userId'], { unique: true })
@Index('team_memberships_of_user', ['userId', 'createdAt', 'id'])
@Index('team_memberships_page', ['organizationId', 'createdAt', 'id'])
export class TeamMembership extends OwnedRow {
  @ForeignKey('teams', { onDelete: 'CASCADE' })
  @Stored('uuid')
  teamId: string;
  @ForeignKey('tracker_users', { onDelete: 'CASCADE' })
  @Stored('uuid')
  userId: string;
  @Stored('boolean', { default: false }) owner: boolean;
  @Stored('double precision', { default: 0 }) sortOrder: number;
}

declare module './entity-rows.js' {
  interface EntityRows {
    TeamMembership: TeamMembership;
  }
}

defineEntity('TeamMembership', {
  row: TeamMembership,
  alias: 'm',
  changes: { name: 'team_membership' },
  access: teamAccess('teamId'),
});
