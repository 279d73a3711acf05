import type { Tx } from '../../kernel/database/db.js';
import { statement, StatementShapes, type Statement } from '../../kernel/database/statement.js';
import type { Viewer } from '../access/viewer.js';
import type { WorkflowStateKind } from '../teams/states/workflow-state.entity.js';

/*
 * What changing an issue needs to know about everything it refers to, whichever kinds those are, in one statement. Rows
 * come of any organization; `Facts` gives a caller those it may see, so that one transaction can serve several callers.
 */

interface Fact {
  id: string;
  organizationId: string;
}

export interface TeamFacts extends Fact {
  key: string;
  name: string;
  private: boolean;
  isArchived: boolean;
  /** The number given out last. Good for the next one only while the team is held (`holdTeams`). */
  issueCounter: number;
  defaultIssueStateId: string | null;
  setIssueSortOrderOnStateChange: string;
  /** The ends of its issues' `sortOrder`. */
  least: number | null;
  most: number | null;
}

export interface StateFacts extends Fact {
  teamId: string;
  name: string;
  type: WorkflowStateKind;
  color: string;
  position: number;
  isArchived: boolean;
}

export interface UserFacts extends Fact {
  name: string;
  displayName: string;
  email: string;
  avatarUrl: string | null;
  active: boolean;
  /** Those of its teams that are private. */
  privateTeamIds: string[];
}

export interface ProjectFacts extends Fact {
  name: string;
  slugId: string;
  teamIds: string[];
}

export interface CycleFacts extends Fact {
  teamId: string;
  number: number;
  name: string | null;
  startsAt: string;
  endsAt: string;
  isArchived: boolean;
}

export interface LabelFacts extends Fact {
  teamId: string | null;
  name: string;
  color: string;
  isGroup: boolean;
  parentId: string | null;
}

export interface CommentFacts extends Fact {
  /** The issue's team, or the project's teams. */
  teamIds: string[];
}

export interface ParentFacts extends Fact {
  teamId: string;
  /** Its parent, that one's parent, and so on. */
  ancestorIds: string[];
  /** The largest `subIssueSortOrder` below it. */
  lastChild: number | null;
}

export interface IssueFacts extends Fact {
  subscriberIds: string[];
  /** How many levels of sub-issues there are below it. */
  height: number;
}

interface FactsByKind {
  team: TeamFacts;
  state: StateFacts;
  user: UserFacts;
  project: ProjectFacts;
  cycle: CycleFacts;
  label: LabelFacts;
  comment: CommentFacts;
  parent: ParentFacts;
  /** An issue that is to change. */
  issue: IssueFacts;
  /** Ids that issues have already. */
  taken: Fact;
}
type Kind = keyof FactsByKind;

/**
 * How a kind is asked for. `statesOf` are teams, all of whose states are wanted. `held…` are what issues are about to refer
 * to: whoever takes such a thing out of use (archives a state, deletes a label) holds it FOR UPDATE and looks who uses it.
 */
type Question = Kind | 'statesOf' | 'heldState' | 'heldCycle' | 'heldLabel';

/** Ids of what is asked for. */
export type Wanted = { [Q in Question | 'heldProject']?: Set<string> };

/** Deeper than any chain can get (docs/reference/tracker.md#issue), so that a loop would end too. */
const LEVELS_MAX = 20;

const end = (direction: 'ASC' | 'DESC'): string =>
  `(SELECT x.sort_order FROM issues x WHERE x.team_id = t.id ORDER BY x.sort_order ${direction} LIMIT 1)`;

const STATE = `w.id, w.organization_id AS "organizationId", w.team_id AS "teamId", w.name, w.type, w.color, w.position,
  w.archived_at IS NOT NULL AS "isArchived"`;

const STATES = `SELECT ${STATE} FROM workflow_states w WHERE w.id = ANY($::uuid[])`;
const CYCLES = `SELECT y.id, y.organization_id AS "organizationId", y.team_id AS "teamId", y.number, y.name,
  y.starts_at AS "startsAt", y.ends_at AS "endsAt", y.archived_at IS NOT NULL AS "isArchived"
  FROM cycles y WHERE y.id = ANY($::uuid[])`;
const LABELS = `SELECT l.id, l.organization_id AS "organizationId", l.team_id AS "teamId", l.name, l.color,
  l.is_group AS "isGroup", l.parent_id AS "parentId" FROM issue_labels l WHERE l.id = ANY($::uuid[])`;
const HOLD = 'ORDER BY id FOR KEY SHARE';

/** The select of each question; `$` is its list of ids. */
const selects: Record<Question, { kind: Kind; text: string }> = {
  team: {
    kind: 'team',
    text: `SELECT t.id, t.organization_id AS "organizationId", t.key, t.name, t.private,
      t.archived_at IS NOT NULL AS "isArchived", t.issue_counter AS "issueCounter",
      t.default_issue_state_id AS "defaultIssueStateId",
      t.set_issue_sort_order_on_state_change AS "setIssueSortOrderOnStateChange",
      ${end('ASC')} AS least, ${end('DESC')} AS most
      FROM teams t WHERE t.id = ANY($::uuid[])`,
  },
  state: { kind: 'state', text: STATES },
  heldState: { kind: 'state', text: `${STATES} ${HOLD}` },
  statesOf: { kind: 'state', text: `SELECT ${STATE} FROM workflow_states w WHERE w.team_id = ANY($::uuid[])` },
  user: {
    kind: 'user',
    text: `SELECT u.id, u.organization_id AS "organizationId", u.name, u.display_name AS "displayName", u.email,
      u.avatar_url AS "avatarUrl", u.active,
      ARRAY(SELECT m.team_id FROM team_memberships m JOIN teams t ON t.id = m.team_id AND t.private
        WHERE m.user_id = u.id) AS "privateTeamIds"
      FROM tracker_users u WHERE u.id = ANY($::uuid[])`,
  },
  project: {
    kind: 'project',
    text: `SELECT p.id, p.organization_id AS "organizationId", p.name, p.slug_id AS "slugId",
      ARRAY(SELECT x.team_id FROM project_teams x WHERE x.project_id = p.id) AS "teamIds"
      FROM projects p WHERE p.id = ANY($::uuid[])`,
  },
  cycle: { kind: 'cycle', text: CYCLES },
  heldCycle: { kind: 'cycle', text: `${CYCLES} ${HOLD}` },
  label: { kind: 'label', text: LABELS },
  heldLabel: { kind: 'label', text: `${LABELS} ${HOLD}` },
  comment: {
    kind: 'comment',
    text: `SELECT c.id, c.organization_id AS "organizationId",
      CASE WHEN c.issue_id IS NULL
        THEN ARRAY(SELECT x.team_id FROM project_teams x WHERE x.project_id = c.project_id)
        ELSE ARRAY(SELECT x.team_id FROM issues x WHERE x.id = c.issue_id) END AS "teamIds"
      FROM comments c WHERE c.id = ANY($::uuid[])`,
  },
  parent: {
    kind: 'parent',
    text: `SELECT p.id, p.organization_id AS "organizationId", p.team_id AS "teamId",
      ARRAY(WITH RECURSIVE above (id, level) AS (
          SELECT p.parent_id, 1 WHERE p.parent_id IS NOT NULL
          UNION ALL SELECT x.parent_id, above.level + 1 FROM above JOIN issues x ON x.id = above.id
            WHERE x.parent_id IS NOT NULL AND above.level < ${LEVELS_MAX})
        SELECT above.id FROM above) AS "ancestorIds",
      (SELECT max(x.sub_issue_sort_order) FROM issues x WHERE x.parent_id = p.id) AS "lastChild"
      FROM issues p WHERE p.id = ANY($::uuid[])`,
  },
  issue: {
    kind: 'issue',
    text: `SELECT i.id, i.organization_id AS "organizationId",
      ARRAY(SELECT s.user_id FROM issue_subscribers s WHERE s.issue_id = i.id ORDER BY s.user_id) AS "subscriberIds",
      (WITH RECURSIVE below (id, level) AS (
          SELECT i.id, 0
          UNION ALL SELECT x.id, below.level + 1 FROM below JOIN issues x ON x.parent_id = below.id
            WHERE below.level < ${LEVELS_MAX})
        SELECT max(below.level) FROM below) AS height
      FROM issues i WHERE i.id = ANY($::uuid[])`,
  },
  taken: {
    kind: 'taken',
    text: `SELECT i.id, i.organization_id AS "organizationId" FROM issues i WHERE i.id = ANY($::uuid[])`,
  },
};

const statements = new StatementShapes('tracker_issue_facts');

const statementFor = (asked: readonly Question[]): Statement =>
  statements.of(asked.join(' '), () =>
    asked
      .map((name, i) => {
        const { kind, text } = selects[name];
        return `SELECT '${kind}' AS kind, row_to_json(r)::text AS fact FROM (${text.replace('$', () => `$${i + 1}`)}) r`;
      })
      .join(' UNION ALL '),
  );

const HOLD_TEAMS = statement(
  'tracker_hold_teams',
  `SELECT t.id FROM teams t WHERE t.id = ANY($1::uuid[]) AND t.organization_id = ANY($2::uuid[])
   ORDER BY t.id FOR NO KEY UPDATE`,
);

/**
 * Holds teams whose counters are about to be taken, in the order of ids: before any issue is held, and in a statement
 * of its own, so that what is read next is read as of having them.
 */
export async function holdTeams(tx: Tx, teamIds: Iterable<string>, organizationIds: Iterable<string>): Promise<void> {
  await tx.query(HOLD_TEAMS, [[...new Set(teamIds)], [...new Set(organizationIds)]]);
}

/**
 * A project's teams are rows of another table. Under READ COMMITTED a statement that waited for the project would show
 * its teams as of before the wait, so they are read by a later one.
 */
const HOLD_PROJECTS = statement(
  'tracker_hold_projects',
  `SELECT p.id FROM projects p WHERE p.id = ANY($1::uuid[]) ${HOLD}`,
);

/** One statement for all that is wanted, one before it where projects are to be held; none when nothing is wanted. */
export async function loadFacts(tx: Tx, { heldProject, ...others }: Wanted): Promise<Facts> {
  const wanted = { ...others };
  if (heldProject && heldProject.size > 0) {
    await tx.query(HOLD_PROJECTS, [[...heldProject]]);
    wanted.project = new Set([...heldProject, ...(others.project ?? [])]);
  }
  const asked = (Object.keys(selects) as Question[]).filter((name) => (wanted[name]?.size ?? 0) > 0);
  if (asked.length === 0) return new Facts([]);
  const values = asked.map((name) => [...(wanted[name] as Set<string>)]);
  return new Facts(await tx.query<{ kind: Kind; fact: string }>(statementFor(asked), values));
}

/** What was found, by kind and id. */
export class Facts {
  private readonly known = new Map<string, Fact>();
  private readonly states = new Map<string, StateFacts[]>();

  constructor(rows: readonly { kind: Kind; fact: string }[]) {
    for (const { kind, fact } of rows) this.add(kind, JSON.parse(fact) as Fact);
  }

  add<K extends Kind>(kind: K, fact: FactsByKind[K] | Fact): void {
    const key = `${kind} ${fact.id}`;
    // a state may be asked for by itself and with its team
    if (kind === 'state' && !this.known.has(key)) {
      const state = fact as StateFacts;
      this.states.set(state.teamId, [...(this.states.get(state.teamId) ?? []), state]);
    }
    this.known.set(key, fact);
  }

  /** Whoever asks: for what an issue refers to already. */
  get<K extends Kind>(kind: K, id: string | null | undefined): FactsByKind[K] | undefined {
    return id ? (this.known.get(`${kind} ${id}`) as FactsByKind[K] | undefined) : undefined;
  }

  /** As the caller sees it: undefined in another organization, and in a private team without the caller. */
  visible<K extends Kind>(kind: K, id: string, viewer: Viewer): FactsByKind[K] | undefined {
    const fact = this.get(kind, id);
    if (fact?.organizationId !== viewer.organizationId) return undefined;
    if (viewer.hiddenTeamIds.length === 0) return fact;
    const { teamId, teamIds } = fact as { teamId?: string | null; teamIds?: string[] };
    const isHidden = (team: string): boolean => viewer.hiddenTeamIds.includes(team);
    if (kind === 'team') return isHidden(id) ? undefined : fact;
    if (teamIds) return teamIds.every(isHidden) ? undefined : fact;
    return teamId && isHidden(teamId) ? undefined : fact;
  }

  /** The states new issues and moved ones can be in, by position. */
  usableStates(teamId: string): StateFacts[] {
    return (this.states.get(teamId) ?? [])
      .filter((state) => !state.isArchived)
      .sort((a, b) => a.position - b.position || (a.id < b.id ? -1 : 1));
  }
}
