import { Entity } from 'typeorm';
import { boolean, having, id, nothing, text, through, times } from '../query/filter/keys.js';
import { connectionsOf, linked, of } from '../query/connections.js';
import { byUuid, defineEntity, listedLive, teamAccess } from '../store/define-entity.js';
import { nullable, OwnedRow, Stored } from '../store/row.js';

@Entity('teams')
export class Team extends OwnedRow {
  @Stored('text') key: string;
  @Stored('text') name: string;
  @Stored('text', nullable) description: string | null;
  @Stored('text', nullable) color: string | null;
  @Stored('text', nullable) icon: string | null;
  @Stored('boolean') private: boolean;
  @Stored('text') timezone: string;
  @Stored('integer') issueCounter: number;
  @Stored('integer') cycleCounter: number;
  @Stored('boolean') cyclesEnabled: boolean;
  @Stored('double precision') cycleDuration: number;
  @Stored('double precision') cycleStartDay: number;
  @Stored('double precision') cycleCooldownTime: number;
  @Stored('double precision') upcomingCycleCount: number;
  @Stored('boolean') cycleIssueAutoAssignStarted: boolean;
  @Stored('boolean') cycleIssueAutoAssignCompleted: boolean;
  @Stored('boolean') cycleLockToActive: boolean;
  @Stored('text') issueEstimationType: string;
  @Stored('boolean') issueEstimationAllowZero: boolean;
  @Stored('boolean') issueEstimationExtended: boolean;
  @Stored('double precision') defaultIssueEstimate: number;
  @Stored('uuid', nullable) defaultIssueStateId: string | null;
  @Stored('double precision') autoArchivePeriod: number;
  @Stored('double precision', nullable) autoClosePeriod: number | null;
  @Stored('uuid', nullable) autoCloseStateId: string | null;
  @Stored('boolean', nullable) autoCloseParentIssues: boolean | null;
  @Stored('boolean', nullable) autoCloseChildIssues: boolean | null;
  @Stored('text') setIssueSortOrderOnStateChange: string;
  @Stored('boolean') groupIssueHistory: boolean;
  @Stored('timestamptz', nullable) archivedAt: Date | null;
}

declare module '../store/entity-rows.js' {
  interface EntityRows {
    Team: Team;
  }
}

defineEntity('Team', {
  row: Team,
  alias: 't',
  access: teamAccess('id'),
  listed: listedLive,
  lookup: (id) =>
    byUuid(id) ?? (/^[A-Za-z][A-Za-z0-9]*$/.test(id) ? { by: 'key', value: id.toUpperCase() } : undefined),
  filter: {
    id,
    ...times,
    name: text('name'),
    key: text('key'),
    description: text('description'),
    private: boolean('private'),
    parent: nothing,
    issues: having('Issue', 'team_id'),
    members: through('User', 'team_memberships', 'team_id', 'user_id'),
  },
});

/** The connections below a Team. */
export const teamConnections = connectionsOf('Team', {
  cycles: of('Cycle', 'team_id'),
  issues: of('Issue', 'team_id'),
  labels: {
    entity: 'IssueLabel' as const,
    // the workspace's too (docs/reference/tracker.md#team)
    link: (a: string, parent: string) => `(${a}.team_id = ${parent} OR ${a}.team_id IS NULL)`,
  },
  members: linked('User', 'team_memberships', 'team_id', 'user_id'),
  memberships: of('TeamMembership', 'team_id'),
  projects: linked('Project', 'project_teams', 'team_id', 'project_id'),
  states: of('WorkflowState', 'team_id'),
  webhooks: of('Webhook', 'team_id'),
});
