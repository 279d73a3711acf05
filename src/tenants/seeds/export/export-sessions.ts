import type { Tx } from '../../../kernel/database/db.js';
import { snakeCase } from '../../../kernel/database/store-names.js';
import { SESSIONS_TO_EXPORT, ACTIVITIES_TO_EXPORT } from '../../../tracker/issues/seeds.queries.js';
import { said } from './names-out.js';

type Json = Record<string, unknown>;

interface Session extends Json {
  id: string;
  issueId: string;
  app: string;
  creatorId: string | null;
  dismissedById: string | null;
  createdAt: Date;
}

interface Activity extends Json {
  id: string;
  sessionId: string;
  userId: string;
  type: string;
  content: Json;
  createdAt: Date;
}

/** What applications did as agents, by issue, and the newest time, in microseconds. */
export async function exportSessions(
  tx: Tx,
  organizationId: string,
  { people, ids }: { people: ReadonlyMap<string, string>; ids: boolean },
): Promise<{ sessions: ReadonlyMap<string, Json[]>; newest: number }> {
  const rows = await tx.query<Session>(SESSIONS_TO_EXPORT, [organizationId]);
  const activities = new Map<string, Json[]>();
  let newest = 0;
  for (const activity of rows.length === 0 ? [] : await tx.query<Activity>(ACTIVITIES_TO_EXPORT, [organizationId])) {
    const { type, content, createdAt } = activity;
    const about = Object.entries(content).filter(([key]) => key !== 'type');
    const list = activities.get(activity.sessionId) ?? [];
    list.push(
      said({
        id: ids ? activity.id : undefined,
        type,
        ...Object.fromEntries(about.map(([key, text]) => [snakeCase(key), text])),
        as: type === 'prompt' ? people.get(activity.userId) : undefined,
        at: createdAt.toISOString(),
        ephemeral: activity['ephemeral'] || undefined,
        signal: activity['signal'],
        signal_metadata: activity['signalMetadata'],
      }),
    );
    activities.set(activity.sessionId, list);
    newest = Math.max(newest, createdAt.getTime() * 1000);
  }
  const sessions = new Map<string, Json[]>();
  for (const session of rows) {
    const list = sessions.get(session.issueId) ?? [];
    list.push(
      said({
        id: ids ? session.id : undefined,
        app: session.app,
        status: session['status'],
        as: people.get(session.creatorId ?? ''),
        at: session.createdAt.toISOString(),
        delegated: session['isDelegated'] || undefined,
        dismissed: people.get(session.dismissedById ?? ''),
        summary: session['summary'],
        plan: session['plan'],
        external_urls: session['externalUrls'],
        external_link: session['externalLink'],
        activities: activities.get(session.id) ?? [],
      }),
    );
    sessions.set(session.issueId, list);
    newest = Math.max(newest, session.createdAt.getTime() * 1000);
  }
  return { sessions, newest };
}
