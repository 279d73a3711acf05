import { Entity } from 'typeorm';
import { defineEntity, teamAccess } from '../../store/define-entity.js';
import { OwnedRow, Stored } from '../../store/row.js';

@Entity('team_memberships')
export class TeamMembership extends OwnedRow {
  @Stored('uuid') teamId: string;
  @Stored('uuid') userId: string;
  @Stored('boolean') owner: boolean;
  @Stored('double precision') sortOrder: number;
}

declare module '../../store/entity-rows.js' {
  interface EntityRows {
    TeamMembership: TeamMembership;
  }
}

defineEntity('TeamMembership', {
  row: TeamMembership,
  alias: 'm',
  access: teamAccess('teamId'),
});
