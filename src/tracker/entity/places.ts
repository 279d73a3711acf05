import { In } from 'typeorm';
import type { Tx } from '../../kernel/database/db.js';
import type { EntityKey } from '../store/entity-rows.js';
import { Team } from '../store/team.entity.js';
import { organizationUrl, teamUrl } from '../values/urls.js';

/** What a thing belongs to, as its events say. */
export interface Place {
  /** Whose members hear of it; none: everybody. */
  readonly teams: readonly Pick<Team, 'id' | 'private'>[];
  /** The address of what it belongs to. */
  readonly url: string;
  /** What it belongs to, as a part of `data`. */
  readonly shown: Readonly<Record<string, unknown>>;
}

/** Where the addresses of an organization begin. */
interface Web {
  readonly web: string;
  readonly urlKey: string;
}

type PlaceOf = (tx: Tx, id: string, at: Web) => Promise<Place>;

const places = new Map<EntityKey, PlaceOf>();

/** What belongs to a thing of this kind is at this place. Call it once, beside the row class. */
export function definePlace(entity: EntityKey, place: PlaceOf): void {
  places.set(entity, place);
}

definePlace('Team', async (tx, id, { web, urlKey }) => {
  const team = await tx.sql.findOneByOrFail(Team, { id });
  return { teams: [team], url: teamUrl(web, urlKey, team), shown: {} };
});

/** Teams in the order of their ids. */
export const teamsById = (tx: Tx, ids: readonly string[]): Promise<Team[]> =>
  tx.sql.find(Team, { where: { id: In([...ids]) }, order: { id: 'ASC' } });

/** The place of what belongs to this thing; an organization's without one. */
export async function placeOf(
  tx: Tx,
  owner: { entity: EntityKey; id: string } | undefined,
  { web, urlKey }: Web,
): Promise<Place> {
  if (!owner) return { teams: [], url: organizationUrl(web, urlKey), shown: {} };
  const place = places.get(owner.entity);
  if (!place) throw new Error(`nothing belongs to a ${owner.entity}`);
  return place(tx, owner.id, { web, urlKey });
}
