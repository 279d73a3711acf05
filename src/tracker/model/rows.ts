import { Column, Entity, PrimaryColumn, getMetadataArgsStorage, type ColumnOptions, type ColumnType } from 'typeorm';

/*
 * The tracker's tables (migrations/0010_tracker.sql) as classes. A property is named like the field of the wire where
 * there is one, its column the same in snake_case. Rows refer to each other by id.
 */

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A column named like its property. Moments are `timestamptz` (Date), days `date` (`YYYY-MM-DD`). */
function Stored(type: ColumnType, options: ColumnOptions = {}): PropertyDecorator {
  return (target, property) => Column({ type, name: snakeCase(String(property)), ...options })(target, property);
}

const nullable = { nullable: true };

abstract class Row {
  @PrimaryColumn('uuid') id: string;
  @Stored('timestamptz') createdAt: Date;
  @Stored('timestamptz') updatedAt: Date;
}

/** What belongs to an organization; all but the organization itself. */
abstract class OwnedRow extends Row {
  @Stored('uuid') organizationId: string;
}

@Entity('organizations')
export class Organization extends Row {
  @Stored('bigint') tenantId: number;
  @Stored('text') name: string;
  @Stored('text') urlKey: string;
  @Stored('text', { array: true }) previousUrlKeys: string[];
  @Stored('text', nullable) logoUrl: string | null;
  @Stored('text', nullable) gitBranchFormat: string | null;
  @Stored('double precision') fiscalYearStartMonth: number;
  @Stored('bigint') lastSyncId: number;
}

@Entity('tracker_users')
export class User extends OwnedRow {
  @Stored('text') accountId: string;
  @Stored('text') name: string;
  @Stored('text') displayName: string;
  @Stored('text') email: string;
  @Stored('boolean') active: boolean;
  @Stored('boolean') admin: boolean;
  @Stored('boolean') owner: boolean;
  @Stored('text', nullable) title: string | null;
  @Stored('text', nullable) description: string | null;
  @Stored('text', nullable) avatarUrl: string | null;
  @Stored('text', nullable) timezone: string | null;
  @Stored('text', nullable) statusEmoji: string | null;
  @Stored('text', nullable) statusLabel: string | null;
  @Stored('timestamptz', nullable) statusUntilAt: Date | null;
  @Stored('text', nullable) disableReason: string | null;
  @Stored('timestamptz', nullable) lastSeen: Date | null;
}

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

@Entity('team_memberships')
export class TeamMembership extends OwnedRow {
  @Stored('uuid') teamId: string;
  @Stored('uuid') userId: string;
  @Stored('boolean') owner: boolean;
  @Stored('double precision') sortOrder: number;
}

export type WorkflowStateKind = 'backlog' | 'unstarted' | 'started' | 'completed' | 'canceled' | 'duplicate';

@Entity('workflow_states')
export class WorkflowState extends OwnedRow {
  @Stored('uuid') teamId: string;
  @Stored('text') name: string;
  @Stored('text') type: WorkflowStateKind;
  @Stored('text') color: string;
  @Stored('double precision') position: number;
  @Stored('text', nullable) description: string | null;
  @Stored('timestamptz', nullable) archivedAt: Date | null;
}

@Entity('issue_labels')
export class IssueLabel extends OwnedRow {
  /** Null: usable in every team. */
  @Stored('uuid', nullable) teamId: string | null;
  @Stored('text') name: string;
  @Stored('text') color: string;
  @Stored('text', nullable) description: string | null;
  @Stored('boolean') isGroup: boolean;
  @Stored('uuid', nullable) parentId: string | null;
  @Stored('uuid', nullable) creatorId: string | null;
  @Stored('timestamptz', nullable) lastAppliedAt: Date | null;
}

export type ProjectStatusKind = 'backlog' | 'planned' | 'started' | 'paused' | 'completed' | 'canceled';

@Entity('project_statuses')
export class ProjectStatus extends OwnedRow {
  @Stored('text') name: string;
  @Stored('text') type: ProjectStatusKind;
  @Stored('text') color: string;
  @Stored('double precision') position: number;
}

@Entity('projects')
export class Project extends OwnedRow {
  @Stored('text') name: string;
  @Stored('text') description: string;
  @Stored('text', nullable) content: string | null;
  @Stored('text') slugId: string;
  @Stored('text', nullable) icon: string | null;
  @Stored('text') color: string;
  @Stored('uuid') statusId: string;
  @Stored('smallint') priority: number;
  @Stored('double precision') sortOrder: number;
  @Stored('double precision') prioritySortOrder: number;
  @Stored('uuid', nullable) leadId: string | null;
  @Stored('uuid', nullable) creatorId: string | null;
  @Stored('uuid', nullable) convertedFromIssueId: string | null;
  @Stored('date', nullable) startDate: string | null;
  @Stored('text', nullable) startDateResolution: string | null;
  @Stored('date', nullable) targetDate: string | null;
  @Stored('text', nullable) targetDateResolution: string | null;
  @Stored('timestamptz', nullable) startedAt: Date | null;
  @Stored('timestamptz', nullable) completedAt: Date | null;
  @Stored('timestamptz', nullable) canceledAt: Date | null;
  @Stored('boolean', nullable) trashed: boolean | null;
  @Stored('timestamptz', nullable) archivedAt: Date | null;
  /** From `project_teams`, sorted. */
  teamIds: string[];
  /** From `project_members`, sorted. */
  memberIds: string[];
}

@Entity('cycles')
export class Cycle extends OwnedRow {
  @Stored('uuid') teamId: string;
  @Stored('integer') number: number;
  @Stored('text', nullable) name: string | null;
  @Stored('text', nullable) description: string | null;
  @Stored('timestamptz') startsAt: Date;
  @Stored('timestamptz') endsAt: Date;
  /** As given; the wire's is `cycleCompletedAt` (model/cycle-times.ts). */
  @Stored('timestamptz', nullable) completedAt: Date | null;
  @Stored('timestamptz', nullable) archivedAt: Date | null;
}

@Entity('issues')
export class Issue extends OwnedRow {
  @Stored('uuid') teamId: string;
  @Stored('integer') number: number;
  @Stored('text') identifier: string;
  @Stored('text', { array: true }) previousIdentifiers: string[];
  @Stored('text') title: string;
  @Stored('text', nullable) description: string | null;
  @Stored('smallint') priority: number;
  @Stored('double precision', nullable) estimate: number | null;
  @Stored('date', nullable) dueDate: string | null;
  @Stored('uuid') stateId: string;
  @Stored('uuid', nullable) assigneeId: string | null;
  @Stored('uuid', nullable) creatorId: string | null;
  @Stored('uuid', nullable) projectId: string | null;
  @Stored('uuid', nullable) cycleId: string | null;
  @Stored('uuid', nullable) parentId: string | null;
  @Stored('uuid', nullable) sourceCommentId: string | null;
  /** In the order of application. */
  @Stored('uuid', { array: true }) labelIds: string[];
  @Stored('double precision') sortOrder: number;
  @Stored('double precision') prioritySortOrder: number;
  @Stored('double precision', nullable) subIssueSortOrder: number | null;
  @Stored('timestamptz', nullable) startedAt: Date | null;
  @Stored('timestamptz', nullable) completedAt: Date | null;
  @Stored('timestamptz', nullable) canceledAt: Date | null;
  @Stored('timestamptz', nullable) addedToTeamAt: Date | null;
  @Stored('timestamptz', nullable) addedToProjectAt: Date | null;
  @Stored('timestamptz', nullable) addedToCycleAt: Date | null;
  @Stored('boolean', nullable) trashed: boolean | null;
  @Stored('timestamptz', nullable) archivedAt: Date | null;
}

@Entity('issue_subscribers')
export class IssueSubscriber {
  @PrimaryColumn('uuid', { name: 'issue_id' }) issueId: string;
  @PrimaryColumn('uuid', { name: 'user_id' }) userId: string;
}

@Entity('comments')
export class Comment extends OwnedRow {
  /** Exactly one of `issueId` and `projectId` is set. */
  @Stored('uuid', nullable) issueId: string | null;
  @Stored('uuid', nullable) projectId: string | null;
  @Stored('uuid', nullable) parentId: string | null;
  @Stored('uuid') userId: string;
  @Stored('text') body: string;
  @Stored('text', nullable) quotedText: string | null;
  @Stored('timestamptz', nullable) editedAt: Date | null;
  @Stored('timestamptz', nullable) resolvedAt: Date | null;
  @Stored('uuid', nullable) resolvingUserId: string | null;
  @Stored('uuid', nullable) resolvingCommentId: string | null;
}

@Entity('api_keys')
export class ApiKey {
  @PrimaryColumn('uuid') id: string;
  @Stored('uuid') organizationId: string;
  @Stored('uuid') userId: string;
  @Stored('text') hash: string;
  @Stored('text') label: string;
  @Stored('text') start: string;
  @Stored('boolean') isDefault: boolean;
  @Stored('timestamptz') createdAt: Date;
  @Stored('timestamptz', nullable) lastUsedAt: Date | null;
  @Stored('timestamptz', nullable) revokedAt: Date | null;
}

@Entity('tracker_webhooks')
export class Webhook extends OwnedRow {
  @Stored('text') url: string;
  @Stored('text', nullable) label: string | null;
  @Stored('text', { array: true }) resourceTypes: string[];
  @Stored('uuid', nullable) teamId: string | null;
  @Stored('boolean') allPublicTeams: boolean;
  @Stored('boolean') enabled: boolean;
  @Stored('text') secret: string;
  @Stored('uuid', nullable) creatorId: string | null;
}

/** For the DataSource of an application that loads these through TypeORM. */
export const trackerRows = [
  Organization,
  User,
  Team,
  TeamMembership,
  WorkflowState,
  IssueLabel,
  ProjectStatus,
  Project,
  Cycle,
  Issue,
  IssueSubscriber,
  Comment,
  ApiKey,
  Webhook,
];

type RowClass = abstract new () => object;

function ancestry(row: RowClass): RowClass[] {
  const chain: RowClass[] = [];
  for (let at: RowClass | null = row; at?.prototype; at = Object.getPrototypeOf(at) as RowClass | null) chain.push(at);
  return chain;
}

/** Columns that are made from other tables. */
const derivedColumns = new Map<RowClass, (alias: string) => string[]>([
  [
    Project,
    (a) => [
      `ARRAY(SELECT x.team_id FROM project_teams x WHERE x.project_id = ${a}.id ORDER BY 1) AS "teamIds"`,
      `ARRAY(SELECT x.user_id FROM project_members x WHERE x.project_id = ${a}.id ORDER BY 1) AS "memberIds"`,
    ],
  ],
]);

/** The select list that makes a row of this class: `i.id AS "id", i.created_at AS "createdAt", …` */
export function columnsOf(row: RowClass, alias: string): string {
  const key = `${row.name} ${alias}`;
  let columns = selectLists.get(key);
  if (columns === undefined) selectLists.set(key, (columns = makeSelectList(row, alias)));
  return columns;
}

const selectLists = new Map<string, string>();

function makeSelectList(row: RowClass, alias: string): string {
  const stored = getMetadataArgsStorage()
    .columns.filter((column) => ancestry(row).includes(column.target as RowClass))
    .map(({ propertyName, options }) => {
      const column = `${alias}.${options.name ?? snakeCase(propertyName)}`;
      // the driver would make a local midnight of a day
      return `${options.type === 'date' ? `${column}::text` : column} AS "${propertyName}"`;
    });
  return [...stored, ...(derivedColumns.get(row)?.(alias) ?? [])].join(', ');
}

/** Property → column of what is stored, for INSERT and UPDATE statements made from a change's keys. */
export function storedColumns(row: RowClass): ReadonlyMap<string, { column: string; cast: string }> {
  return new Map(
    getMetadataArgsStorage()
      .columns.filter((column) => ancestry(row).includes(column.target as RowClass))
      .map(({ propertyName, options }) => [
        propertyName,
        {
          column: options.name ?? snakeCase(propertyName),
          cast: `${String(options.type)}${options.array ? '[]' : ''}`,
        },
      ]),
  );
}
