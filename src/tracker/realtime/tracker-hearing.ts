import type { RecordedEvent } from '../../kernel/events/recorded-event.js';
import type { Hearing, Emission } from '../../kernel/realtime/realtime-product.js';
import { realtimePayload } from '../events/tracker-events.js';
import type { Holder } from './realtime.queries.js';
import type { TrackerSession } from './tracker-session.js';

/** Who may receive an event: everyone in an organization, its admins, one user, or members of one of some private teams. */
interface Audience {
  readonly organizationId: string;
  readonly adminsOnly: boolean;
  /** Null: not one user's own. */
  readonly userId: string | null;
  /** Null: independent of teams. */
  readonly teamIds: readonly string[] | null;
}

const ROOM = /^org:([0-9a-f-]{36})(?:\/(admins)|\/users\/([0-9a-f-]{36})|\/teams\/([0-9a-f,-]+))?$/;

/** The audience that `trackerEvent` wrote into the room; undefined for any other room. */
export function audienceOf(room: string): Audience | undefined {
  const [, organizationId, admins, userId, teams] = ROOM.exec(room) ?? [];
  if (organizationId === undefined) return undefined;
  return {
    organizationId,
    adminsOnly: admins !== undefined,
    userId: userId ?? null,
    teamIds: teams?.split(',') ?? null,
  };
}

/** Determines who receives the events of one batch (docs/reference/realtime.md#tracker). */
export class TrackerHearing implements Hearing<TrackerSession> {
  constructor(private readonly live: ReadonlyMap<TrackerSession, Holder>) {}

  isLive(session: TrackerSession): boolean {
    return this.live.has(session);
  }

  emissionsOf(event: RecordedEvent, sessions: readonly TrackerSession[]): Emission<TrackerSession>[] {
    const audience = audienceOf(event.room);
    const to = audience ? sessions.filter((session) => this.mayHear(session, audience)) : [];
    if (event.kind === 'sandbox_reset') {
      // a person's socket gets it from the chat product
      const keys = to.filter((session) => session.credential.keyHash !== null);
      return keys.length === 0 ? [] : [{ name: event.kind, argument: JSON.parse(event.data) as object, to: keys }];
    }
    if (to.length === 0) return [];
    return [{ name: event.kind, argument: JSON.parse(realtimePayload(event)) as object, to }];
  }

  private mayHear(session: TrackerSession, { organizationId, adminsOnly, userId, teamIds }: Audience): boolean {
    const holder = this.live.get(session);
    if (!holder || session.organizationId !== organizationId) return false;
    if (userId !== null) return session.userId === userId;
    if (adminsOnly) return holder.admin;
    // of public teams an event does not say which: those who do not see all of them hear of none
    return teamIds === null ? holder.allPublicTeams : teamIds.some((id) => holder.teamIds.includes(id));
  }
}
