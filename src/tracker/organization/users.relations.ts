import { relationsOf } from '../graphql/relations.js';
import { colorOf } from '../model/colors.js';
import type { User } from '../model/rows.js';
import { userUrl } from '../model/urls.js';

/** The first letters of the first and the last word; one letter for one word (tracker.md b.2). */
export function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter((word) => word !== '');
  const ends = words.length > 1 ? [words[0], words.at(-1)] : words;
  return ends.map((word) => Array.from(word as string)[0]?.toUpperCase() ?? '').join('');
}

/** Fields of a user that are derived or belong to others. */
export const userRelations = relationsOf<User>('User', {
  isMe: (user, load) => user.id === load.viewer.userId,
  isAssignable: (user) => user.active,
  isMentionable: (user) => user.active,
  initials: (user) => initialsOf(user.name),
  avatarBackgroundColor: (user) => colorOf(user.id),
  url: (user, load, _args, { web }) => userUrl(web, load.viewer.urlKey, user.displayName),
  createdIssueCount: (user, load) => load.createdIssueCountOfUser.load(user.id),
  organization: (user, load) => load.organization.load(user.organizationId),
  assignedIssues: (user, load, args) => load.page('User.assignedIssues', user.id, args),
  createdIssues: (user, load, args) => load.page('User.createdIssues', user.id, args),
  delegatedIssues: () => EMPTY_PAGE,
  teams: (user, load, args) => load.page('User.teams', user.id, args),
  teamMemberships: (user, load, args) => load.page('User.teamMemberships', user.id, args),
});

/** There are no agents, so nothing is ever delegated. */
const EMPTY_PAGE = {
  nodes: [],
  edges: [],
  pageInfo: { startCursor: null, endCursor: null, hasNextPage: false, hasPreviousPage: false },
};
