import type { Viewer } from '../access/viewer.js';
import type { WorkflowStateKind } from '../teams/states/workflow-state.entity.js';
import type { ShownReaction } from '../reactions/reaction-data.js';
import { hidesNothing, isHiddenTeam } from '../store/hidden-teams.js';

/** Facts about an object that a changing issue refers to. */
interface Fact {
  id: string;
  organizationId: string;
}

export interface TeamFacts extends Fact {
  key: string;
  name: string;
  private: boolean;
  isArchived: boolean;
  /** The last number assigned. The next one may be derived from it only while the team is locked (`holdTeams`). */
  issueCounter: number;
  defaultIssueStateId: string | null;
  setIssueSortOrderOnStateChange: string;
  /** The smallest and largest `sortOrder` of its issues. */
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
  /** The application whose own user it is. */
  applicationId: string | null;
  allPublicTeams: boolean;
  /** Those of its teams that it sees as a member alone. */
  privateTeamIds: string[];
}

export interface ProjectFacts extends Fact {
  name: string;
  slugId: string;
  teamIds: string[];
}

export interface MilestoneFacts extends Fact {
  projectId: string;
  /** Its project's. */
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
  retiredById: string | null;
}

export interface CommentFacts extends Fact {
  /** The issue's team, or the project's teams. */
  teamIds: string[];
}

export interface TemplateFacts extends Fact {
  teamId: string | null;
}

export interface ParentFacts extends Fact {
  teamId: string;
  /** Its parent, the parent's parent, and so on. */
  ancestorIds: string[];
  /** The largest `subIssueSortOrder` below it. */
  lastChild: number | null;
}

export interface IssueFacts extends Fact {
  subscriberIds: string[];
  /** How many levels of sub-issues there are below it. */
  height: number;
  reactions: ShownReaction[];
  releases: ShownRelease[];
}

/** A release as events of its issues show it. */
export interface ShownRelease {
  id: string;
  name: string;
  version: string | null;
  completedAt: string | null;
  stage: { id: string; name: string; type: string; color: string; position: number };
  /** Its pipeline's; null where everybody sees it. */
  teamIds: string[] | null;
  /** One of them is no private team, or there are none. */
  isPublic: boolean;
}

export interface ReleaseFacts extends Fact, ShownRelease {}

interface FactsByKind {
  team: TeamFacts;
  state: StateFacts;
  user: UserFacts;
  project: ProjectFacts;
  milestone: MilestoneFacts;
  cycle: CycleFacts;
  label: LabelFacts;
  comment: CommentFacts;
  template: TemplateFacts;
  release: ReleaseFacts;
  parent: ParentFacts;
  /** An issue that is to change. */
  issue: IssueFacts;
  /** Ids that issues have already. */
  taken: Fact;
}
export type Kind = keyof FactsByKind;

/**
 * How a kind is loaded. `statesOf` are teams, all of whose states are wanted. `held…` are objects that issues are about
 * to refer to: taking such an object out of use (archiving a state, deleting a label) locks it FOR UPDATE and checks
 * which issues use it.
 */
export type Question = Kind | 'statesOf' | 'heldState' | 'heldCycle' | 'heldLabel';

/** Ids to load. */
export type FactIds = { [Q in Question | 'heldProject']?: Set<string> };

/** The results, by kind and id. */
export class Facts {
  private readonly known = new Map<string, Fact>();
  private readonly states = new Map<string, StateFacts[]>();

  constructor(rows: readonly { kind: Kind; fact: string }[]) {
    for (const { kind, fact } of rows) this.add(kind, JSON.parse(fact) as Fact);
  }

  add<K extends Kind>(kind: K, fact: FactsByKind[K] | Fact): void {
    const key = `${kind} ${fact.id}`;
    // a state may be requested by itself and with its team
    if (kind === 'state' && !this.known.has(key)) {
      const state = fact as StateFacts;
      this.states.set(state.teamId, [...(this.states.get(state.teamId) ?? []), state]);
    }
    this.known.set(key, fact);
  }

  /** Independent of the caller: for what an issue refers to already. */
  get<K extends Kind>(kind: K, id: string | null | undefined): FactsByKind[K] | undefined {
    return id ? (this.known.get(`${kind} ${id}`) as FactsByKind[K] | undefined) : undefined;
  }

  /** As the caller sees it: undefined in another organization, and in a private team without the caller. */
  visible<K extends Kind>(kind: K, id: string, viewer: Viewer): FactsByKind[K] | undefined {
    const fact = this.get(kind, id);
    if (fact?.organizationId !== viewer.organizationId) return undefined;
    if (hidesNothing(viewer)) return fact;
    const { teamId, teamIds } = fact as { teamId?: string | null; teamIds?: string[] };
    const isHidden = (team: string): boolean => isHiddenTeam(viewer, team);
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
