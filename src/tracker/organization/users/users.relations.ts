import { OrganizationType } from '../organization.types.js';
import { UserType } from './users.types.js';
import { createdIssueCountOfUser } from './users.loaders.js';
import { organizationById } from '../organization.loaders.js';
import { derived, relationsOf, required } from '../../graphql/relations.js';
import { colorOf } from '../../values/colors.js';
import { isGuest, type User } from '../../store/user.entity.js';
import { userUrl } from '../../values/urls.js';

/** The first letters of the first and the last word; one letter for one word (docs/reference/tracker.md#user). */
export function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter((word) => word !== '');
  const ends = words.length > 1 ? [words[0], words.at(-1)] : words;
  return ends.map((word) => Array.from(word as string)[0]?.toUpperCase() ?? '').join('');
}

/** Fields of a user that are derived or belong to others. */
export const userRelations = relationsOf<User>(() => UserType, {
  isMe: derived((user, load) => user.id === load.viewer.userId),
  app: derived((user) => user.applicationId !== null),
  guest: derived((user) => isGuest(user)),
  canAccessAnyPublicTeam: derived((user) => user.allPublicTeams),
  isAssignable: derived((user) => user.active && user.canBeAssigned),
  isMentionable: derived((user) => user.active && user.canBeMentioned),
  initials: derived((user) => initialsOf(user.name)),
  avatarBackgroundColor: derived((user) => colorOf(user.id)),
  url: derived((user, load, _args, { web }) => userUrl(web, load.viewer.urlKey, user.displayName)),
  createdIssueCount: derived((user, load) => load.by(createdIssueCountOfUser, user.id)),
  organization: required(
    () => OrganizationType,
    (user, load) => load.by(organizationById, user.organizationId),
  ),
});
