import { derived, type RelationField, type Relations, relationsOf } from '../../graphql/relations.js';
import { NOTIFICATION_TYPES, type NotificationType } from '../../events/notification-types.js';
import type { Loaders } from '../../query/loaders.js';
import type { EntityRows } from '../../store/entity-rows.js';
import { documentUrl, initiativeUrl, issueUrl, projectUrl } from '../../values/urls.js';
import { neverMade } from './never-made.types.js';
import type { Notification } from './notification.entity.js';
import { type NotificationSubscription, type Target, TARGETS } from './notification-subscription.entity.js';
import {
  DocumentNotificationType,
  InitiativeNotificationType,
  IssueNotificationType,
  ProjectNotificationType,
} from './notifications.types.js';
import { subscriptionTypes } from './subscriptions.types.js';

type Field = RelationField<Notification>;

/** What is said of a thing: its title and its address. */
interface Thing {
  readonly title: string;
  url(web: string, urlKey: string): string;
}

/** The thing of a notification, which the caller sees: else there is no notification. */
async function thingOf({ issueId, projectId, documentId, initiativeId }: Notification, load: Loaders): Promise<Thing> {
  const issue = await load.row('Issue', issueId);
  if (issue) return { title: issue.title, url: (web, urlKey) => issueUrl(web, urlKey, issue) };
  const project = await load.row('Project', projectId);
  if (project) return { title: project.name, url: (web, urlKey) => projectUrl(web, urlKey, project) };
  const document = await load.row('Document', documentId);
  if (document) return { title: document.title, url: (web, urlKey) => documentUrl(web, urlKey, document) };
  const initiative = (await load.row('Initiative', initiativeId)) as EntityRows['Initiative'];
  return { title: initiative.name, url: (web, urlKey) => initiativeUrl(web, urlKey, initiative) };
}

const kindOf = ({ type }: Notification) => NOTIFICATION_TYPES[type as NotificationType];

const titleOf = async (row: Notification, load: Loaders): Promise<string> => (await thingOf(row, load)).title;

const urlOf = async (row: Notification, load: Loaders, web: string): Promise<string> =>
  (await thingOf(row, load)).url(web, load.viewer.urlKey);

async function subtitleOf(row: Notification, load: Loaders): Promise<string> {
  const actor = await load.row('User', row.actorId);
  return `${actor?.name ?? 'Somebody'} ${kindOf(row).did}.`;
}

/** What is said of a notification as of now: the thing's title and address, and a sentence. */
export async function described(row: Notification, load: Loaders, web: string) {
  const said = [titleOf(row, load), urlOf(row, load, web), subtitleOf(row, load)] as const;
  const [title, url, subtitle] = await Promise.all(said);
  return { title, url, subtitle };
}

const address: Field = derived((row, load, _args, { web }) => urlOf(row, load, web));

const commentOf = async ({ commentId }: Notification, load: Loaders) => load.row('Comment', commentId);

/** What is the same of all. */
const ofAll: Record<string, Field> = {
  user: derived(({ userId }, load) => load.row('User', userId)),
  actor: derived(({ actorId }, load) => load.row('User', actorId)),
  category: derived((row) => kindOf(row).category),
  title: derived((row, load) => titleOf(row, load)),
  subtitle: derived((row, load) => subtitleOf(row, load)),
  url: address,
  inboxUrl: address,
  groupingKey: derived(({ issueId, projectId, documentId, thingId }) => {
    const kind =
      issueId !== null ? 'issue' : projectId !== null ? 'project' : documentId !== null ? 'document' : 'initiative';
    return `${kind}:${thingId}`;
  }),
  parentCommentId: derived(async (row, load) => (await commentOf(row, load))?.parentId ?? null),
};

const comments: Record<string, Field> = {
  comment: derived(commentOf),
  parentComment: derived(async (row, load) => load.row('Comment', (await commentOf(row, load))?.parentId ?? null)),
};

const subscriptionFields = Object.fromEntries([
  ['subscriber', derived<NotificationSubscription>(({ subscriberId }, load) => load.row('User', subscriberId))],
  ...Object.entries(TARGETS).map(([target, entity]) => [
    target.replace(/Id$/, ''),
    derived<NotificationSubscription>((row, load) => load.row(entity, row[target as Target])),
  ]),
]) as Record<string, RelationField<NotificationSubscription>>;

/** What notifications and subscriptions show of others. */
export const notificationRelations: readonly Relations[] = [
  relationsOf<Notification>(() => IssueNotificationType, {
    ...ofAll,
    ...comments,
    issue: derived(({ issueId }, load) => load.row('Issue', issueId)),
    team: derived(async ({ issueId }, load) => load.row('Team', (await load.row('Issue', issueId))?.teamId ?? null)),
    subscriptions: derived(({ subscriptionIds }, load) => load.rowsById('NotificationSubscription', subscriptionIds)),
  }),
  relationsOf<Notification>(() => ProjectNotificationType, {
    ...ofAll,
    ...comments,
    project: derived(({ projectId }, load) => load.row('Project', projectId)),
    projectUpdate: derived(({ projectUpdateId }, load) => load.row('ProjectUpdate', projectUpdateId)),
  }),
  relationsOf<Notification>(() => DocumentNotificationType, ofAll),
  relationsOf<Notification>(() => InitiativeNotificationType, {
    ...ofAll,
    ...comments,
    initiative: derived(({ initiativeId }, load) => load.row('Initiative', initiativeId)),
    initiativeUpdate: derived(({ initiativeUpdateId }, load) => load.row('InitiativeUpdate', initiativeUpdateId)),
  }),
  ...subscriptionTypes.map((type) => relationsOf(() => type, subscriptionFields)),
  // nothing else leads to these types
  ...neverMade.map((type) => relationsOf(() => type, {})),
];
