import { hash } from 'node:crypto';
import type { Tx } from '../../kernel/database/db.js';
import type { Statement } from '../../kernel/database/statement.js';
import { RestError } from '../../kernel/http/http-error.js';
import { sha256Hex } from '../../kernel/ids/ids.js';
import { FREE_ACCOUNTS, FREE_TOKENS, LOCK, TAKEN_IDS, TAKEN_TOKENS, takenUuids } from './fixed-names.queries.js';
import type { SeedThing } from '../../tracker/entity/seed-thing.js';
import type { Seed } from './seed-types.js';

/** The number of locks that fixed names share: two documents with the same name wait for the same lock. */
const LOCKS = 64;

interface FixedName {
  readonly id: string;
  readonly path: string;
}

interface TakenName extends Record<string, unknown> {
  readonly id: string;
  readonly endedTenant?: number | null;
}

/** Requested names belong to deleted tenants, whose rows have to be deleted first. */
export class NamesOfEndedTenants extends Error {
  constructor(readonly tenantIds: readonly number[]) {
    super('the ids are those of deleted tenants');
  }
}

/**
 * Fixed ids and tokens are unique over the whole server, and within a document. Those of deleted tenants are free.
 * @param teamId the workspace's, if it is fixed
 * @param there ids of existing objects that the document completes
 * @throws RestError 409 id_taken, token_taken, with the path; NamesOfEndedTenants
 */
export async function requireFree(
  tx: Tx,
  seed: Seed,
  { teamId, there }: { teamId?: string | undefined; there: ReadonlySet<string> },
): Promise<void> {
  const isNew = ({ id }: FixedName): boolean => !there.has(id);
  const ids = [...fixed([...seed.users, ...seed.channels, ...seed.apps]), ...clientIdsOf(seed)].filter(isNew);
  if (teamId !== undefined) ids.push({ id: teamId, path: 'team.id' });
  const uuids = uuidsOf(seed).filter(isNew);
  const tokens = tokensOf(seed);
  const locks = [...new Set([...ids, ...uuids, ...tokens].map(({ id }) => lockOf(id)))].sort((a, b) => a - b);
  if (locks.length === 0) return;
  await tx.query(LOCK, [locks]);
  await requireNoneTaken(tx, TAKEN_IDS, 'id_taken', ids);
  await requireNoneTaken(tx, takenUuids(), 'id_taken', uuids);
  if (ids.length > 0) await tx.query(FREE_ACCOUNTS, [ids.map(({ id }) => id)]);
  if (tokens.length > 0) await tx.query(FREE_TOKENS, [tokens.map(({ id }) => id)]);
  await requireNoneTaken(tx, TAKEN_TOKENS, 'token_taken', tokens);
}

const lockOf = (name: string): number => Number.parseInt(hash('sha256', name, 'hex').slice(0, 8), 16) % LOCKS;

const fixed = (things: readonly { readonly id: string | undefined; readonly path: string }[]): FixedName[] =>
  things.flatMap(({ id, path }) => (id === undefined ? [] : [{ id, path: `${path}.id` }]));

const clientIdsOf = ({ apps }: Seed): FixedName[] =>
  apps.flatMap(({ clientId, path }) => (clientId === undefined ? [] : [{ id: clientId, path: `${path}.client_id` }]));

function uuidsOf({ tracker }: Seed): FixedName[] {
  const { teams = [], labels, projects, webhooks, things } = tracker;
  const issues = teams.flatMap((team) => team.issues);
  return fixed([
    ...teams,
    ...teams.flatMap((team) => [...team.labels, ...team.states, ...withTheirOwn(team.things)]),
    ...issues,
    ...issues.flatMap((issue) => [
      ...issue.comments,
      ...issue.comments.flatMap(({ replies }) => replies),
      ...issue.things,
    ]),
    ...labels,
    ...projects,
    ...projects.flatMap((project) => withTheirOwn(project.things)),
    ...withTheirOwn(things),
    ...webhooks,
  ]);
}

const withTheirOwn = (things: readonly SeedThing[]): SeedThing[] =>
  things.flatMap((thing) => [thing, ...withTheirOwn(thing.things)]);

/** By their hashes. */
const tokensOf = ({ users, apps, tracker }: Seed): FixedName[] =>
  [
    ...tracker.apps.map(({ clientSecret, path }) => ({ id: clientSecret, path: `${path}.client_secret` })),
    ...withTheirOwn(tracker.things)
      .filter(({ entity }) => entity === 'ReleaseAccessKey')
      .map(({ values, path }) => ({ id: values['hash'] as string | undefined, path: `${path}.token` })),
    ...users.flatMap(({ userToken, apiKey, path }) => [
      { id: userToken, path: `${path}.user_token` },
      { id: apiKey, path: `${path}.api_key` },
    ]),
    ...apps.flatMap(({ botToken, userToken, appToken, clientSecret, path }) => [
      { id: clientSecret, path: `${path}.client_secret` },
      { id: botToken, path: `${path}.bot_token` },
      { id: userToken, path: `${path}.user_token` },
      { id: appToken, path: `${path}.app_token` },
    ]),
  ].flatMap(({ id, path }) => (id === undefined ? [] : [{ id: sha256Hex(id), path }]));

async function requireNoneTaken(tx: Tx, taken: Statement, code: string, wanted: readonly FixedName[]): Promise<void> {
  if (wanted.length === 0) return;
  const rows = await tx.query<TakenName>(taken, [wanted.map(({ id }) => id)]);
  const ended = rows.flatMap(({ endedTenant }) => endedTenant ?? []);
  const used = new Set(rows.filter(({ endedTenant }) => !endedTenant).map(({ id }) => id));
  for (const { id, path } of wanted) {
    if (used.has(id)) throw new RestError(409, code, undefined, path);
    used.add(id);
  }
  if (ended.length > 0) throw new NamesOfEndedTenants([...new Set(ended)]);
}
