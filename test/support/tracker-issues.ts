import { Db } from '../../src/kernel/database/db.js';
import { newHex, newUuid, sha256Hex } from '../../src/kernel/ids/ids.js';
import { IssueCreation } from '../../src/tracker/issues/issue-creation.js';
import { Viewers } from '../../src/tracker/access/viewer.js';
import type { Viewer } from '../../src/tracker/access/viewer.js';
import { Comment } from '../../src/tracker/issues/comments/comment.entity.js';
import { Issue } from '../../src/tracker/issues/issue.entity.js';
import { IssueLabel } from '../../src/tracker/issues/labels/issue-label.entity.js';
import { User } from '../../src/tracker/store/user.entity.js';
import { ProjectTeam } from '../../src/tracker/projects/project-team.entity.js';
import { ProjectStatus } from '../../src/tracker/projects/statuses/project-status.entity.js';
import { Project } from '../../src/tracker/projects/project.entity.js';
import { Cycle } from '../../src/tracker/teams/cycles/cycle.entity.js';
import { WorkflowState } from '../../src/tracker/teams/states/workflow-state.entity.js';
import { TeamMembership } from '../../src/tracker/store/team-membership.entity.js';
import { Team } from '../../src/tracker/store/team.entity.js';
import { insertUnlessTaken } from '../../src/kernel/database/insert-unless-taken.js';
import type { OrganizationBuilder, TrackerCaller } from './tracker.js';

type Input = Parameters<IssueCreation['create']>[1];

/**
 * Builders for what issues refer to, without events; they fill in omitted fields. Issues are created by the service.
 */
export function builds(org: OrganizationBuilder) {
  const db = org.app.nest.get(Db);
  const add = async <R extends { id: string }>(row: new () => R, values: Partial<R>): Promise<R> => {
    const at = org.app.clock.now();
    const full = { id: newUuid(), organizationId: org.id, createdAt: at, updatedAt: at, ...values };
    const made = await db.write((tx) => insertUnlessTaken(tx, row, full as unknown as Partial<R>));
    if (!made) throw new Error('a unique key is taken');
    return made;
  };
  let cycles = 0;

  return {
    async viewer(caller: TrackerCaller = org): Promise<Viewer> {
      const answer = await org.app.nest.get(Viewers, { strict: false }).byApiKey(sha256Hex(caller.apiKey));
      if (!('viewer' in answer)) throw new Error(answer.refused);
      return answer.viewer;
    },

    async issue(input: Partial<Input> & { team?: Team } = {}, caller: TrackerCaller = org): Promise<Issue> {
      const { team = org.team, ...given } = input;
      const creation = org.app.nest.get(IssueCreation, { strict: false });
      const full = { teamId: team.id, title: `Issue ${newHex(4)}`, ...given };
      return (await creation.create(await this.viewer(caller), full)).issue;
    },

    /** A state of the team by name. */
    async state(name: string, team: Team = org.team): Promise<WorkflowState> {
      return db.load((entities) => entities.findOneByOrFail(WorkflowState, { teamId: team.id, name }));
    },

    newState(values: Partial<WorkflowState> & Pick<WorkflowState, 'name' | 'type'>): Promise<WorkflowState> {
      return add(WorkflowState, { teamId: org.team.id, color: '#bec2c8', position: 0, ...values });
    },

    /** A label of the organization, or of a team with `teamId`. */
    label(values: Partial<IssueLabel> = {}): Promise<IssueLabel> {
      return add(IssueLabel, { name: `Label ${newHex(6)}`, color: '#eb5757', creatorId: org.user.id, ...values });
    },

    async project(options: { teams?: Team[] } & Partial<Project> = {}): Promise<Project> {
      const { teams = [org.team], ...values } = options;
      const first = { where: { organizationId: org.id }, order: { position: 'ASC' } } as const;
      const status = await db.load((entities) => entities.findOneOrFail(ProjectStatus, first));
      const project = await add(Project, {
        name: 'Spring launch',
        slugId: newHex(12),
        statusId: status.id,
        creatorId: org.user.id,
        ...values,
      });
      for (const team of teams) {
        await db.write((tx) => tx.sql.insert(ProjectTeam, { projectId: project.id, teamId: team.id }));
      }
      return project;
    },

    cycle(team: Team = org.team, values: Partial<Cycle> = {}): Promise<Cycle> {
      const number = 1000 + ++cycles;
      const startsAt = new Date(Date.UTC(2030, cycles, 1));
      return add(Cycle, { teamId: team.id, number, startsAt, endsAt: new Date(Date.UTC(2030, cycles, 14)), ...values });
    },

    comment(on: Issue, values: Partial<Comment> = {}): Promise<Comment> {
      return add(Comment, { issueId: on.id, userId: org.user.id, body: 'Hm', ...values });
    },

    async suspend(user: User): Promise<void> {
      await db.write((tx) => tx.sql.update(User, { id: user.id }, { active: false }));
    },

    async removeMember(team: Team, user: User): Promise<void> {
      await db.write((tx) => tx.sql.delete(TeamMembership, { teamId: team.id, userId: user.id }));
    },

    async archivedTeam(): Promise<Team> {
      const team = await org.newTeam();
      const archivedAt = new Date();
      await db.write((tx) => tx.sql.update(Team, { id: team.id }, { archivedAt }));
      return { ...team, archivedAt };
    },

    async patchTeam(team: Team, values: Partial<Team>): Promise<void> {
      await db.write((tx) => tx.sql.update(Team, { id: team.id }, values));
    },
  };
}
