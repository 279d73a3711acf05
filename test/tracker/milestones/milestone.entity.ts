import { Entity, ForeignKey, Index } from 'typeorm';
import { connectionsOf, of } from '../../../src/tracker/query/connections.js';
import { id, one, text, times } from '../../../src/tracker/query/filter/keys.js';
import { teamAccess } from '../../../src/tracker/access/hidden-teams.js';
import { defineEntity } from '../../../src/tracker/store/define-entity.js';
import { OwnedRow, Stored } from '../../../src/tracker/store/row.js';

@Entity('milestones')
@Index('milestones_of_team', ['teamId', 'createdAt', 'id'])
export class Milestone extends OwnedRow {
  @ForeignKey('teams', { onDelete: 'CASCADE' })
  @Stored('uuid')
  teamId: string;
  @Stored('text') name: string;
}

/** What its migration would contain. */
export const MILESTONES = `
  CREATE TABLE milestones (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL,
    team_id uuid NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    name text NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now()
  );
  CREATE INDEX milestones_of_team ON milestones (team_id, created_at, id);
  SELECT sandbox_track('milestones', 'organization', ARRAY['id'])`;

declare module '../../../src/tracker/store/entity-rows.js' {
  interface EntityRows {
    Milestone: Milestone;
  }
}

defineEntity('Milestone', {
  row: Milestone,
  alias: 'ms',
  access: teamAccess('teamId'),
  filter: { id, ...times, name: text('name'), team: one('Team', 'team_id') },
});

/** The connection of a team. */
export const teamMilestones = connectionsOf('Team', { milestones: of('Milestone', 'team_id') }).milestones;
