import { Entity, Index } from 'typeorm';
import { teamAccess } from '../../../src/tracker/store/hidden-teams.js';
import { declareEntity, rowOf } from '../../../src/tracker/entity/declare.js';
import { day, flag, longText, moment, number, reference, text } from '../../../src/tracker/entity/fields.js';
import { NullableStringComparator } from '../../../src/tracker/graphql/filters.js';

@Entity('milestones')
@Index('milestones_of_team', ['teamId', 'createdAt', 'id'])
export class Milestone extends rowOf({
  teamId: reference('Team', { onDelete: 'CASCADE', owner: true, update: false, backed: 'milestones' }),
  name: text({ sort: true, filter: NullableStringComparator }),
  description: longText({ nullable: true }),
  ownerId: reference('User', { nullable: true }),
  targetDate: day({ nullable: true, sort: true }),
  isDone: flag({ default: false }),
  points: number({ default: 0, least: 0, sort: true }),
  /** Set when it is done. */
  doneAt: moment({ nullable: true, create: false, update: false, seed: false }),
}) {}

/** What its migration would contain. */
export const MILESTONES = `
  CREATE TABLE milestones (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL,
    team_id uuid NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    name text NOT NULL,
    description text,
    owner_id uuid,
    target_date date,
    is_done boolean NOT NULL DEFAULT false,
    points double precision NOT NULL DEFAULT 0,
    done_at timestamptz(3),
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

export const milestones = declareEntity('Milestone', Milestone, {
  alias: 'ms',
  access: teamAccess('teamId'),
  event: { word: 'milestone' },
  mutations: ['create', 'update', 'delete'],
  seeds: { under: 'teamId', as: 'milestones', isDated: true },
  changes: { name: 'milestone' },
  title: (a) => `${a}.name`,
});
