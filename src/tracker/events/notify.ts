import { drawnForStatement } from '../../kernel/clock/request-sandbox.js';
import type { Tx } from '../../kernel/database/db.js';
import type { Origin } from '../../kernel/events/event.js';
import { botActorOf } from '../access/bot-actor.js';
import type { Viewer } from '../access/viewer.js';
import { applicationEvent } from './application-events.js';
import { mayMention, mentionsUser } from './mentions.js';
import { rankOf, type NotificationType } from './notification-types.js';
import { MENTIONABLE, notifying, type Audience, type Mentionable, type Told } from './notify.queries.js';
import { trackerEvent } from './tracker-events.js';
import { userData } from './user-data.js';

/** What somebody did, which concerns others in some way: those that it names, or an audience that the thing has. */
export interface Cause {
  readonly type: NotificationType;
  /** Null and undefined are nobody. */
  readonly users?: readonly (string | null | undefined)[];
  readonly audience?: Exclude<Audience, 'named'>;
  /** Those of `namedSubscriptions`. */
  readonly subscriptions?: readonly string[];
  /** Those who are mentioned in a text, and were not before. */
  readonly mentionedIn?: { readonly text: string | null; readonly before?: string | null };
}

/** The thing of news: one of these is set, and what of it they are about. */
export interface NewsIds {
  readonly issueId?: string | null;
  readonly projectId?: string | null;
  readonly documentId?: string | null;
  readonly initiativeId?: string | null;
  readonly commentId?: string | null;
  readonly projectUpdateId?: string | null;
  readonly initiativeUpdateId?: string | null;
  readonly reactionEmoji?: string | null;
}

export interface News {
  readonly viewer: Viewer;
  readonly web: string;
  readonly at: Date;
  readonly origin?: Origin;
  readonly ids: NewsIds;
  /** Who sees none of these teams is not told; none: it is everybody's. */
  readonly teamIds: readonly string[];
  /** The thing's address. */
  readonly url: string;
  readonly causes: readonly Cause[];
  /** What an application's webhook is shown besides the ids: `issue`, `comment` … */
  shown(): Readonly<Record<string, unknown>>;
  /** The one who acts is told as well: by a clock, for whom it acts. */
  readonly isToldToActor?: true;
}

/** Whether a cause may concern anybody but the one who acts: for hot paths, which make no news of others. */
export const mayConcern = ({ audience, users = [], mentionedIn: within }: Cause, { userId }: Viewer): boolean =>
  audience !== undefined ||
  users.some((id) => typeof id === 'string' && id !== userId) ||
  mayMention(within?.text ?? '');

/** A cause as the statement takes it. */
interface Asked {
  readonly news: number;
  readonly rank: number;
  readonly type: string;
  readonly audience: Audience;
  readonly users: readonly string[];
  readonly subscriptions?: readonly string[];
}

/**
 * Tells people and applications' users what concerns them (docs/reference/tracker-notifications.md#causes), in one
 * statement, and one more where a text may mention somebody; none where nobody can be concerned. Call it before the
 * change's own event is recorded, whose number the mutation then answers.
 */
export async function tell(tx: Tx, news: readonly News[]): Promise<void> {
  const mentioned = await mentionedIn(tx, news);
  const asked = news.flatMap(({ causes, viewer, isToldToActor }, n) =>
    causes.flatMap((cause, i): Asked[] => {
      const { type, audience, subscriptions = [] } = cause;
      const known = { news: n, rank: rankOf(type), type };
      if (audience) return [{ ...known, audience, users: [], subscriptions }];
      const users = [...(cause.users ?? []), ...(mentioned.get(`${n} ${i}`) ?? [])].filter(
        (id) => typeof id === 'string' && (isToldToActor || id !== viewer.userId),
      ) as string[];
      return users.length === 0 ? [] : [{ ...known, audience: 'named', users }];
    }),
  );
  if (asked.length === 0) return;
  const audiences = [...new Set(asked.map(({ audience }) => audience))].sort();
  const values = [JSON.stringify(news.map(asRow)), JSON.stringify(asked), drawnForStatement()];
  const rows = await tx.query<Told>(notifying(audiences), values);
  for (const told of rows) record(tx, news[told.news] as News, told);
}

function asRow({ viewer, at, ids, teamIds, isToldToActor }: News, n: number): object {
  const { issueId: issue, projectId: project, documentId: document, initiativeId: initiative } = ids;
  const { commentId: comment, projectUpdateId: projectUpdate, initiativeUpdateId: initiativeUpdate } = ids;
  return {
    n,
    organization: viewer.organizationId,
    actor: viewer.userId,
    isTold: isToldToActor === true,
    at,
    thing: issue ?? project ?? document ?? initiative,
    issue,
    project,
    document,
    initiative,
    comment,
    projectUpdate,
    initiativeUpdate,
    emoji: ids.reactionEmoji,
    bot: botActorOf(viewer, {}),
    teams: teamIds,
  };
}

/** The users that the causes' texts mention for the first time, by the places of news and cause. */
async function mentionedIn(tx: Tx, news: readonly News[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>();
  const texts = news.flatMap(({ causes, viewer }, n) =>
    causes.flatMap(({ mentionedIn: within }, i) => {
      const text = within?.text ?? '';
      const isNew = within && text !== (within.before ?? '') && mayMention(text);
      return isNew ? [{ key: `${n} ${i}`, viewer, text, before: within.before ?? '' }] : [];
    }),
  );
  if (texts.length === 0) return found;
  const users = await tx.query<Mentionable>(MENTIONABLE, [
    texts.map(({ viewer }) => viewer.organizationId),
    texts.map(({ text }) => text),
  ]);
  for (const { n, id, displayName } of users) {
    const { key, viewer, text, before } = texts[n - 1] as (typeof texts)[number];
    const user = { displayName, urlKey: viewer.urlKey };
    if (mentionsUser(text, user) && !mentionsUser(before, user)) found.set(key, [...(found.get(key) ?? []), id]);
  }
  return found;
}

function record(tx: Tx, news: News, { id, userId, type, at, applicationId }: Told): void {
  const { viewer, web, origin, ids, url } = news;
  const { tenantId, organizationId, userId: actorId } = viewer;
  const told = { id, createdAt: at, updatedAt: at, type, userId, actorId, ...ids };
  tx.record(trackerEvent({ web, viewer, at, type: 'Notification', action: 'create', data: told, url, userId }), origin);
  if (applicationId === null) return;
  const { displayName, name, email, avatarUrl } = viewer;
  const actor = userData(web, viewer.urlKey, { id: actorId, displayName, name, email, avatarUrl });
  const known = Object.entries({ ...told, ...news.shown() }).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  const notification = { ...Object.fromEntries(known), actor };
  const place = { tenantId, organizationId, applicationId, at };
  tx.record(applicationEvent('AppUserNotification', type, place, { appUserId: userId, notification }), origin);
}
