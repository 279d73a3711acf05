import { Entity, ForeignKey, Index } from 'typeorm';
import { ExactText } from '../../kernel/database/columns.js';
import { boolean, having, id, nothing, text, through, times } from './filter-keys.js';
import { connectionsOf, linked, of } from './connections.js';
import { teamAccess } from './hidden-teams.js';
import { byUuid, defineEntity, listedLive } from './define-entity.js';
import { nullable, OwnedRow, Stored } from './row.js';

@Entity('teams')
@Index('teams_key', ['organizationId', 'key'], { unique: true })
@Index('teams_page', ['organizationId', 'createdAt', 'id'])
@Index('teams_of_members_template', ['defaultTemplateForMembersId'], {
  where: 'default_template_for_members_id IS NOT NULL',
})
@Index('teams_of_non_members_template', ['defaultTemplateForNonMembersId'], {
  where: 'default_template_for_non_members_id IS NOT NULL',
})
@Index('teams_of_project_template', ['defaultProjectTemplateId'], {
  where: 'default_project_template_id IS NOT NULL',
})
@Index('teams_private', ['organizationId'], { where: 'private' })
@Index('teams_archived', ['organizationId'], { where: 'archived_at IS NOT NULL' })
@ForeignKey('organizations', ['organizationId'], ['id'], { onDelete: 'CASCADE' })
export class Team extends OwnedRow {
  @ExactText() key: string;
  @Stored('text') name: string;
  @Stored('text', nullable) description: string | null;
  @Stored('text', nullable) color: string | null;
  @Stored('text', nullable) icon: string | null;
  @Stored('boolean', { default: false }) private: boolean;
  @Stored('text', { default: 'America/Los_Angeles' }) timezone: string;
  @Stored('integer', { default: 0 }) issueCounter: number;
  @Stored('integer', { default: 0 }) cycleCounter: number;
  @Stored('boolean', { default: false }) cyclesEnabled: boolean;
  @Stored('double precision', { default: 2 }) cycleDuration: number;
  @Stored('double precision', { default: 1 }) cycleStartDay: number;
  @Stored('double precision', { default: 0 }) cycleCooldownTime: number;
  @Stored('double precision', { default: 2 }) upcomingCycleCount: number;
  @Stored('boolean', { default: false }) cycleIssueAutoAssignStarted: boolean;
  @Stored('boolean', { default: false }) cycleIssueAutoAssignCompleted: boolean;
  @Stored('boolean', { default: false }) cycleLockToActive: boolean;
  @ExactText({ default: 'notUsed' }) issueEstimationType: string;
  @Stored('boolean', { default: false }) issueEstimationAllowZero: boolean;
  @Stored('boolean', { default: false }) issueEstimationExtended: boolean;
  @Stored('double precision', { default: 1 }) defaultIssueEstimate: number;
  @Stored('uuid', nullable) defaultIssueStateId: string | null;
  @ForeignKey('templates', { onDelete: 'SET NULL' })
  @Stored('uuid', nullable)
  defaultTemplateForMembersId: string | null;
  @ForeignKey('templates', { onDelete: 'SET NULL' })
  @Stored('uuid', nullable)
  defaultTemplateForNonMembersId: string | null;
  @ForeignKey('templates', { onDelete: 'SET NULL' })
  @Stored('uuid', nullable)
  defaultProjectTemplateId: string | null;
  @Stored('double precision', { default: 6 }) autoArchivePeriod: number;
  @Stored('double precision', nullable) autoClosePeriod: number | null;
  @Stored('uuid', nullable) autoCloseStateId: string | null;
  @Stored('boolean', nullable) autoCloseParentIssues: boolean | null;
  @Stored('boolean', nullable) autoCloseChildIssues: boolean | null;
  @ExactText({ default: 'default' }) setIssueSortOrderOnStateChange: string;
  @Stored('boolean', { default: true }) groupIssueHistory: boolean;
  /** How agents are to work in it. */
  @Stored('text', nullable) agentGuidance: string | null;
  @Stored('timestamptz', nullable) archivedAt: Date | null;
}

declare module './entity-rows.js' {
  interface EntityRows {
    Team: Team;
  }
}

defineEntity('Team', {
  row: Team,
  alias: 't',
  changes: { name: 'team', follows: ['issue_counter', 'cycle_counter'] },
  title: (a) => `${a}.key`,
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
    visibility: { is: 'text', sql: (a) => `CASE WHEN ${a}.private THEN 'private' ELSE 'public' END` },
    parent: nothing,
    issues: having('Issue', 'team_id'),
    members: through('User', 'team_memberships', 'team_id', 'user_id'),
  },
});

/** The connections below a Team. */
export const teamConnections = connectionsOf('Team', {
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
