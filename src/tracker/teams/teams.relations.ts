import { relationsOf } from '../graphql/relations.js';
import { forbidden } from '../model/errors.js';
import type { Team, TeamMembership } from '../model/rows.js';
import { teamUrl } from '../model/urls.js';
import { TeamVisibility } from './teams.types.js';

/** Fields of a team that are derived or belong to others (tracker.md b.3). */
export const teamRelations = relationsOf<Team>('Team', {
  displayName: (team) => team.name,
  visibility: (team) => (team.private ? TeamVisibility.private : TeamVisibility.public),
  cycleCalenderUrl: (team, load, _args, { web }) => `${teamUrl(web, load.viewer.urlKey, team)}/cycles.ics`,
  issueCount: async (team, load, { includeArchived }) => {
    const counts = await load.issueCountsOfTeam.load(team.id);
    return includeArchived ? counts.all : counts.live;
  },
  activeCycle: (team, load) => load.activeCycleOfTeam.load(team.id),
  defaultIssueState: (team, load) => team.defaultIssueStateId && load.state.load(team.defaultIssueStateId),
  organization: (team, load) => load.organization.load(team.organizationId),
  viewerMembership: (team, load) => load.viewerMembershipOfTeam.load(team.id),
  cycles: (team, load, args) => load.page('Team.cycles', team.id, args),
  issues: (team, load, args) => load.page('Team.issues', team.id, args),
  labels: (team, load, args) => load.page('Team.labels', team.id, args),
  members: (team, load, args) => load.page('Team.members', team.id, args),
  memberships: (team, load, args) => load.page('Team.memberships', team.id, args),
  projects: (team, load, args) => load.page('Team.projects', team.id, args),
  states: (team, load, args) => load.page('Team.states', team.id, args),
  // reading webhooks is for admins too
  webhooks: (team, load, args) => {
    if (!load.viewer.admin) throw forbidden('You need to be an admin to manage webhooks.');
    return load.page('Team.webhooks', team.id, args);
  },
});

export const teamMembershipRelations = relationsOf<TeamMembership>('TeamMembership', {
  team: (membership, load) => load.team.load(membership.teamId),
  user: (membership, load) => load.user.load(membership.userId),
});
