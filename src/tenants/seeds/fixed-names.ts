import { hash } from 'node:crypto';
import { ownIds, seenId } from '../../kernel/clock/request-sandbox.js';
import type { Tx } from '../../kernel/database/db.js';
import type { Statement } from '../../kernel/database/statement.js';
import { RestError } from '../../kernel/http/http-error.js';
import { sha256Hex } from '../../kernel/ids/ids.js';
import { TAKEN_IDS } from '../../messaging/provisioning/fixed-names.queries.js';
import { newAppLevelToken, newBotToken, newUserToken } from '../../messaging/provisioning/initial-values.js';
import type { SeedThing } from '../../tracker/entity/seed-thing.js';
import { takenUuids } from '../../tracker/entity/seeds.queries.js';
import { FREE_ACCOUNTS, FREE_TOKENS, LOCK, TAKEN_TOKENS } from './fixed-names.queries.js';
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
 * Returns the document, in a sandbox with ids of its own with new tokens for those that another one has.
 * @param teamId the workspace's, if it is fixed
 * @param there ids of existing objects that the document completes
 * @throws RestError 409 id_taken, token_taken, with the path; NamesOfEndedTenants
 */
export async function withFreeNames(
  tx: Tx,
  seed: Seed,
  { teamId, there }: { teamId?: string | undefined; there: ReadonlySet<string> },
): Promise<Seed> {
  const isNew = ({ id }: FixedName): boolean => !there.has(id);
  const ids = fixed([...seed.users, ...seed.channels, ...seed.apps]).filter(isNew);
  if (teamId !== undefined) ids.push({ id: teamId, path: 'team.id' });
  const uuids = uuidsOf(seed).filter(isNew);
  const secrets = [...clientIdsOf(seed).filter(isNew), ...tokensOf(seed)];
  const locks = [...new Set([...ids, ...uuids, ...secrets].map(({ id }) => lockOf(id)))].sort((a, b) => a - b);
  if (locks.length === 0) return seed;
  await tx.query(LOCK, [locks]);
  const known = tokensOf(seed).map(({ id }) => id);
  if (known.length > 0) await tx.query(FREE_TOKENS, [known]);
  const free = ownIds() ? await withNewSecrets(tx, seed) : seed;
  await requireNoneTaken(tx, TAKEN_IDS, 'id_taken', [...ids, ...clientIdsOf(free).filter(isNew)]);
  await requireNoneTaken(tx, takenUuids(), 'id_taken', uuids);
  if (ids.length > 0) await tx.query(FREE_ACCOUNTS, [ids.map(({ id }) => id)]);
  await requireNoneTaken(tx, TAKEN_TOKENS, 'token_taken', tokensOf(free));
  return free;
}

/**
 * A document with ids of its own may be made many times. What an app is known by is made anew where another sandbox has
 * it already; people have no such token then, and a release pipeline no such key, as in a copy.
 */
async function withNewSecrets(tx: Tx, seed: Seed): Promise<Seed> {
  const [ids, tokens] = [clientIdsOf(seed), tokensOf(seed)].map((names) => names.map(({ id }) => id)) as [
    string[],
    string[],
  ];
  const taken = new Set<string>();
  if (ids.length > 0) {
    const rows = await tx.query<TakenName>(TAKEN_IDS, [ids]);
    for (const { id, endedTenant } of rows) if (!endedTenant) taken.add(id);
  }
  if (tokens.length > 0) for (const { id } of await tx.query<TakenName>(TAKEN_TOKENS, [tokens])) taken.add(id);
  if (taken.size === 0) return seed;
  const isTaken = (token: string | undefined): boolean => token !== undefined && taken.has(sha256Hex(seenId(token)));
  const free = (token: string | undefined): string | undefined => (isTaken(token) ? undefined : token);
  const keysLeft = (things: readonly SeedThing[]): SeedThing[] =>
    things
      .filter(({ entity, values }) => entity !== 'ReleaseAccessKey' || !taken.has(String(values['hash'])))
      .map((thing) => ({ ...thing, things: keysLeft(thing.things) }));
  return {
    ...seed,
    users: seed.users.map((user) => ({ ...user, userToken: free(user.userToken), apiKey: free(user.apiKey) })),
    apps: seed.apps.map(({ clientId, ...app }) => ({
      ...app,
      clientId: clientId !== undefined && taken.has(clientId) ? undefined : clientId,
      clientSecret: free(app.clientSecret),
      botToken: isTaken(app.botToken) ? newBotToken() : app.botToken,
      userToken: isTaken(app.userToken) ? newUserToken() : app.userToken,
      appToken: isTaken(app.appToken) ? newAppLevelToken(String(app.id)) : app.appToken,
    })),
    tracker: {
      ...seed.tracker,
      apps: seed.tracker.apps.map((app) => ({ ...app, clientSecret: free(app.clientSecret) })),
      things: keysLeft(seed.tracker.things),
    },
  };
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
  ].flatMap(({ id, path }) => (id === undefined ? [] : [{ id: sha256Hex(seenId(id)), path }]));

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
