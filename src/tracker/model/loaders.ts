import { Injectable } from '@nestjs/common';
import DataLoader from 'dataloader';
import type { QueryResultRow } from 'pg';
import { Clock } from '../../kernel/clock/clock.js';
import { coalesce } from '../../kernel/database/coalesce.js';
import { Db } from '../../kernel/database/db.js';
import { statement, type Statement } from '../../kernel/database/statement.js';
import type { ConnectionName, ConnectionRow } from './connections.js';
import { cycleSql } from './cycle-times.js';
import { entities, type EntityKey, type EntityRows } from './entities.js';
import { labelPage, pagesByParent, type Page, type PageArgs } from './page.js';
import { columnsOf, Cycle, Issue, Organization, ProjectStatus, TeamMembership } from './rows.js';
import type { Viewer } from './viewer.js';

/** Points of the issues of a project or cycle (tracker.md b.8). */
export interface Progress {
  scope: number;
  progress: number;
}

/** A row of an organization, as a loader is asked for it. */
interface RowKey {
  entity: EntityKey;
  organizationId: string;
  id: string;
}

type Values = (ids: readonly string[], viewer: Viewer, now: Date) => unknown[];

const idsOnly: Values = (ids, viewer) => [ids, viewer.organizationId];
const idsAndNow: Values = (ids, viewer, now) => [ids, viewer.organizationId, now];

const progressBy = (column: string): string => `
  SELECT i.${column} AS key, sum(v.points) FILTER (WHERE w.type NOT IN ('canceled', 'duplicate')) AS scope,
    sum(v.points) FILTER (WHERE w.type = 'completed') AS completed, sum(v.points) FILTER (WHERE w.type = 'started') AS started
  FROM issues i JOIN workflow_states w ON w.id = i.state_id JOIN teams t ON t.id = i.team_id
  CROSS JOIN LATERAL (SELECT coalesce(i.estimate, t.default_issue_estimate) AS points) v
  WHERE i.${column} = ANY($1::uuid[]) AND i.organization_id = $2::uuid AND i.archived_at IS NULL GROUP BY 1`;

/** Statements whose rows answer for a `key`. */
const PROGRESS_OF_PROJECTS = statement('tracker_progress_of_projects', progressBy('project_id'));
const PROGRESS_OF_CYCLES = statement('tracker_progress_of_cycles', progressBy('cycle_id'));
const ISSUE_COUNTS = statement(
  'tracker_issue_counts_of_teams',
  `SELECT i.team_id AS key, count(*)::int AS "all", count(*) FILTER (WHERE i.archived_at IS NULL)::int AS live
   FROM issues i WHERE i.team_id = ANY($1::uuid[]) GROUP BY 1`,
);
const CREATED_COUNTS = statement(
  'tracker_created_counts_of_users',
  `SELECT i.creator_id AS key, count(*)::int AS count FROM issues i WHERE i.creator_id = ANY($1::uuid[]) GROUP BY 1`,
);
const ORGANIZATION_COUNTS = statement(
  'tracker_organization_counts',
  `SELECT g.id AS key, (SELECT count(*)::int FROM tracker_users u WHERE u.organization_id = g.id AND u.active) AS users,
     (SELECT count(*)::int FROM issues i WHERE i.organization_id = g.id) AS issues
   FROM unnest($1::uuid[]) AS g (id)`,
);
const ACTIVE_CYCLES = statement(
  'tracker_active_cycles',
  `SELECT DISTINCT ON (y.team_id) y.team_id AS key, ${columnsOf(Cycle, 'y')} FROM cycles y
   WHERE y.team_id = ANY($1::uuid[]) AND y.organization_id = $2::uuid AND y.archived_at IS NULL
     AND ${cycleSql.isActive('y', '$3::timestamptz')} ORDER BY y.team_id, y.starts_at`,
);
const NEIGHBOURS = statement(
  'tracker_cycle_neighbours',
  `SELECT y.id AS key, ${cycleSql.isNext('y', '$3::timestamptz')} AS "isNext",
     ${cycleSql.isPrevious('y', '$3::timestamptz')} AS "isPrevious"
   FROM cycles y WHERE y.id = ANY($1::uuid[]) AND y.organization_id = $2::uuid`,
);
const OWN_MEMBERSHIPS = statement(
  'tracker_own_memberships',
  `SELECT m.team_id AS key, ${columnsOf(TeamMembership, 'm')} FROM team_memberships m
   WHERE m.team_id = ANY($1::uuid[]) AND m.user_id = $2::uuid`,
);
const SUBSCRIBERS = statement(
  'tracker_subscriber_ids',
  `SELECT s.issue_id AS key, array_agg(s.user_id ORDER BY s.user_id) AS ids
   FROM issue_subscribers s WHERE s.issue_id = ANY($1::uuid[]) GROUP BY 1`,
);
const ORGANIZATIONS = statement(
  'tracker_load_Organization',
  `SELECT g.id AS key, ${columnsOf(Organization, 'g')} FROM organizations g WHERE g.id = ANY($1::uuid[])`,
);
const STATUSES = statement(
  'tracker_project_statuses',
  `SELECT ${columnsOf(ProjectStatus, 's')} FROM project_statuses s WHERE s.organization_id = ANY($1::uuid[]) ORDER BY s.position`,
);

/**
 * The loaders of one request: each answers for one kind of thing, batched and remembered while the request lasts.
 * Null stands for what is gone, and for what the caller may not see. Rows may be shared with other requests: read only.
 */
export class Loaders {
  readonly user = this.entity('User');
  readonly team = this.entity('Team');
  readonly state = this.entity('WorkflowState');
  readonly label = this.entity('IssueLabel');
  readonly cycle = this.entity('Cycle');
  readonly project = this.entity('Project');
  readonly projectStatus = this.entity('ProjectStatus');
  readonly issue = this.entity('Issue');
  readonly comment = this.entity('Comment');
  readonly membership = this.entity('TeamMembership');
  readonly webhook = this.entity('Webhook');

  /** By organization id; the caller's only. */
  readonly organization = this.keyed<Organization & Key, Organization | null>(
    ORGANIZATIONS,
    (row) => row ?? null,
    (ids, viewer) => [ids.filter((id) => id === viewer.organizationId)],
  );
  /** The six statuses, by organization id. */
  readonly projectStatusesOf = new DataLoader<string, ProjectStatus[]>(async (ids) => {
    const rows = await this.source.db.read<ProjectStatus>(STATUSES, [[this.viewer.organizationId]]);
    return ids.map((id) => rows.filter((row) => row.organizationId === id));
  });
  /** By organization id: active users, and issues with the archived ones. */
  readonly countsOfOrganization = this.keyed<
    Key & { users: number; issues: number },
    { users: number; issues: number }
  >(
    ORGANIZATION_COUNTS,
    (row) => row ?? { users: 0, issues: 0 },
    (ids, viewer) => [ids.filter((id) => id === viewer.organizationId)],
  );
  /** By team id: all issues, and those not archived. */
  readonly issueCountsOfTeam = this.keyed<Key & { all: number; live: number }, { all: number; live: number }>(
    ISSUE_COUNTS,
    (row) => row ?? { all: 0, live: 0 },
    (ids) => [ids],
  );
  /** By user id, archived issues included. */
  readonly createdIssueCountOfUser = this.keyed<Key & { count: number }, number>(
    CREATED_COUNTS,
    (row) => row?.count ?? 0,
    (ids) => [ids],
  );
  readonly progressOfProject = this.keyed<ProgressRow, Progress>(PROGRESS_OF_PROJECTS, progressOf, idsOnly);
  readonly progressOfCycle = this.keyed<ProgressRow, Progress>(PROGRESS_OF_CYCLES, progressOf, idsOnly);
  /** By team id. */
  readonly activeCycleOfTeam = this.keyed<Cycle & Key, Cycle | null>(ACTIVE_CYCLES, (row) => row ?? null, idsAndNow);
  /** By cycle id: the flags that depend on the team's other cycles. */
  readonly neighbourhoodOfCycle = this.keyed<Key & Neighbourhood, Neighbourhood>(
    NEIGHBOURS,
    (row) => row ?? { isNext: false, isPrevious: false },
    idsAndNow,
  );
  /** The caller's own, by team id. */
  readonly viewerMembershipOfTeam = this.keyed<TeamMembership & Key, TeamMembership | null>(
    OWN_MEMBERSHIPS,
    (row) => row ?? null,
    (ids, viewer) => [ids, viewer.userId],
  );
  /** By issue id, sorted. */
  readonly subscriberIdsOfIssue = this.keyed<Key & { ids: string[] }, string[]>(
    SUBSCRIBERS,
    (row) => row?.ids ?? [],
    (ids) => [ids],
  );

  private readonly pages = new Map<string, DataLoader<string, Page<object>>>();

  /** @internal `RequestLoading.forRequest` makes them. */
  constructor(
    private readonly source: RequestLoading,
    readonly viewer: Viewer,
    /** What is derived from time is the same all over one answer. */
    readonly now: Date,
  ) {}

  /** A connection below an object: one statement for all parents that ask for it with the same arguments. */
  page<N extends ConnectionName>(
    connection: N,
    parentId: string,
    args: PageArgs,
  ): Promise<Page<EntityRows[ConnectionRow<N>]>> {
    const key = `${connection} ${JSON.stringify(args)}`;
    let loader = this.pages.get(key);
    if (!loader) {
      const { viewer, now } = this;
      loader = new DataLoader<string, Page<object>>(async (ids) => {
        const pages = await pagesByParent(this.source.db, connection, ids, { viewer, now, args });
        return ids.map((id) => pages.get(id) as Page<object>);
      });
      this.pages.set(key, loader);
    }
    return loader.load(parentId) as Promise<Page<EntityRows[ConnectionRow<N>]>>;
  }

  /** `Issue.labels`: from the labels' own loader where the arguments ask for no more than the first page. */
  labels(issue: Issue, args: PageArgs): Promise<Page<EntityRows['IssueLabel']>> | Page<EntityRows['IssueLabel']> {
    const { first, includeArchived, ...others } = args;
    const isPlain = Object.values(others).every((value) => value === null || value === undefined);
    if (!isPlain || issue.labelIds.length > (first ?? 50) || (first ?? 1) < 1)
      return this.page('Issue.labels', issue.id, args);
    if (issue.labelIds.length === 0) return labelPage(issue, []);
    return this.label.loadMany(issue.labelIds).then((labels) => {
      const failed = labels.find((label) => label instanceof Error);
      if (failed) throw failed;
      const known = labels.filter(
        (label): label is EntityRows['IssueLabel'] => label !== null && !(label instanceof Error),
      );
      const isListed = ({ teamId }: EntityRows['IssueLabel']) =>
        includeArchived === true || teamId === null || !this.viewer.archivedTeamIds.includes(teamId);
      return labelPage(issue, known.filter(isListed));
    });
  }

  private entity<K extends EntityKey>(entity: K): DataLoader<string, EntityRows[K] | null> {
    return new DataLoader(async (ids) => {
      const { organizationId } = this.viewer;
      const rows = (await Promise.all(ids.map((id) => this.source.load({ entity, organizationId, id })))) as (
        EntityRows[K] | null
      )[];
      return this.viewer.hiddenTeamIds.length === 0
        ? rows
        : Promise.all(rows.map((row) => this.ifVisible(entity, row)));
    });
  }

  /** What is in a private team without the caller is null. */
  private async ifVisible<K extends EntityKey>(entity: K, row: EntityRows[K] | null): Promise<EntityRows[K] | null> {
    if (!row) return null;
    const isHidden = (teamId: string) => this.viewer.hiddenTeamIds.includes(teamId);
    if (entity === 'Comment') {
      const { issueId, projectId } = row as EntityRows['Comment'];
      const owner = issueId === null ? await this.project.load(projectId as string) : await this.issue.load(issueId);
      return owner && row;
    }
    if (entity === 'Project') return (row as EntityRows['Project']).teamIds.every(isHidden) ? null : row;
    const teamId = entity === 'Team' ? row.id : (row as { teamId?: string | null }).teamId;
    return teamId && isHidden(teamId) ? null : row;
  }

  private keyed<R extends Key & QueryResultRow, A>(
    text: Statement,
    answer: (row: R | undefined) => A,
    values: Values,
  ): DataLoader<string, A> {
    return new DataLoader<string, A>(async (ids) => {
      const rows = await this.source.db.read<R>(text, values(ids, this.viewer, this.now));
      const byKey = new Map(rows.map((row) => [row.key, row]));
      return ids.map((id) => answer(byKey.get(id)));
    });
  }
}

interface Key {
  key: string;
}
interface Neighbourhood {
  isNext: boolean;
  isPrevious: boolean;
}
interface ProgressRow extends Key {
  scope: number | null;
  completed: number | null;
  started: number | null;
}

function progressOf(row: ProgressRow | undefined): Progress {
  const scope = row?.scope ?? 0;
  return { scope, progress: scope === 0 ? 0 : ((row?.completed ?? 0) + 0.25 * (row?.started ?? 0)) / scope };
}

/**
 * Makes the loaders of requests. Look-ups by id, of all kinds and of all requests under way, are one statement
 * (architecture.md, Coalescing): what a page of issues refers to costs one round trip, not one a relation.
 */
@Injectable()
export class RequestLoading {
  constructor(
    readonly db: Db,
    private readonly clock: Clock,
  ) {}

  forRequest(viewer: Viewer): Loaders {
    return new Loaders(this, viewer, this.clock.now());
  }

  /** @internal A row of this organization, whoever asks. */
  readonly load: (key: RowKey) => Promise<object | null> = coalesce(
    async (keys: RowKey[]) => {
      const asked = new Map<EntityKey, Map<string, RowKey>>();
      for (const key of keys) {
        let ofKind = asked.get(key.entity);
        if (!ofKind) asked.set(key.entity, (ofKind = new Map()));
        ofKind.set(key.organizationId + key.id, key);
      }
      const kinds = [...asked.keys()].sort();
      const values = kinds.flatMap((kind) => {
        const wanted = [...(asked.get(kind) as Map<string, RowKey>).values()];
        return [wanted.map((key) => key.organizationId), wanted.map((key) => key.id)];
      });
      const found = new Map<string, object>();
      for (const { kind, row } of await this.db.read<{ kind: EntityKey; row: string }>(loadStatement(kinds), values)) {
        const made = rowFromJson(kind, row);
        found.set(kind + made.organizationId + made.id, made);
      }
      return keys.map(({ entity, organizationId, id }) => found.get(entity + organizationId + id) ?? null);
    },
    { name: 'rows.load', max: 4_000 },
  );
}

const loadStatements = new Map<string, Statement>();

/** Rows of several kinds in one answer: each as JSON, since their columns differ. */
function loadStatement(kinds: readonly EntityKey[]): Statement {
  const name = kinds.join(' ');
  let made = loadStatements.get(name);
  if (!made) {
    const selects = kinds.map((kind, i) => {
      const { table, alias, columns } = entities[kind];
      return `SELECT '${kind}' AS kind, row_to_json(r)::text AS row FROM (SELECT ${columns(alias)}
        FROM unnest($${2 * i + 1}::uuid[], $${2 * i + 2}::uuid[]) AS k (organization_id, id)
        JOIN ${table} ${alias} ON ${alias}.id = k.id AND ${alias}.organization_id = k.organization_id) r`;
    });
    made = statement(`tracker_load_${loadStatements.size}`, selects.join(' UNION ALL '));
    loadStatements.set(name, made);
  }
  return made;
}

function rowFromJson(kind: EntityKey, text: string): { organizationId: string; id: string } {
  const row = JSON.parse(text) as Record<string, unknown> & { organizationId: string; id: string };
  for (const moment of entities[kind].moments) {
    const value = row[moment];
    if (typeof value === 'string') row[moment] = new Date(value);
  }
  return row;
}
