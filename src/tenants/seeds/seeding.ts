import { BadRequestException, Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import type { Tx } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { formatTs } from '../../messaging/store/message-ts.js';
import { WorkspaceCounts } from '../../messaging/provisioning/workspace-counts.js';
import { type Counted } from '../../messaging/provisioning/workspace-counts.queries.js';
import { teamsNamedIn } from './names-in-json.js';
import { withFreeNames } from './fixed-names.js';
import { KnownObjects, type Seeded, type SeedContext } from './known-objects.js';
import { SeedApps } from './seed-apps.js';
import { SAVE_REFS } from './seed-chat.queries.js';
import { SeedConversations, type DatedMessage } from './seed-conversations.js';
import { SeedHooks } from './seed-hooks.js';
import { addMessages } from './seed-messages.js';
import { SeedPeople } from './seed-people.js';
import { SeedTrackerHalf } from './seed-tracker.js';
import type { Seed } from './seed-types.js';
import { TrackerNames } from './known-tracker.js';
import { otherIds, personsOf, scriptNamesOf, unknownNames } from './unknown-names.js';
import { addBookmarks } from './seed-bookmarks.js';
import { addUsergroups } from './seed-usergroups.js';
import { unknownInScript } from '../scripts/read-script.js';
import { addScript } from '../scripts/script-store.js';
import { ISSUE_REFS } from '../scripts/script-store.queries.js';
import { unknownTrackerNames } from './unknown-tracker-names.js';

/** The most faults listed in one answer. */
const MAX_FAULTS = 50;

/** Makes the content of a document in the caller's transaction, without events and system messages. */
@Injectable()
export class Seeding {
  constructor(
    private readonly people: SeedPeople,
    private readonly apps: SeedApps,
    private readonly conversations: SeedConversations,
    private readonly hooks: SeedHooks,
    private readonly tracker: SeedTrackerHalf,
    private readonly counts: WorkspaceCounts,
    private readonly publicUrl: PublicUrl,
    private readonly clock: Clock,
  ) {}

  /**
   * Validates a document by itself.
   * @throws BadRequestException with all faults
   */
  refuseFaults(faults: readonly string[]): void {
    if (faults.length > 0) throw new BadRequestException(faults.slice(0, MAX_FAULTS));
  }

  /**
   * For a tenant made for the document, fixed names were checked before.
   * @param begun its initial content, if that is known
   * @throws BadRequestException with all faults; RestError 409 id_taken, token_taken, name_taken, email_taken,
   * command_taken, too_many_… with the path; NamesOfEndedTenants
   */
  async fill(tx: Tx, context: SeedContext, document: Seed, begun?: KnownObjects): Promise<Seeded> {
    let seed = document;
    const known = begun ?? (await KnownObjects.load(tx, context, seed));
    const isBare = begun !== undefined && seed.tracker.teams !== undefined;
    const names = isBare ? TrackerNames.ofNew(false) : await trackerNamesOf(tx, context, seed);
    this.refuseFaults([
      ...seed.faults,
      ...unknownNames(seed, known, context),
      ...unknownInScript(seed.script, scriptNamesOf(seed, known, await issueRefsOf(tx, context, seed))),
      ...(context.isNew ? [] : otherIds(seed, known)),
      ...unknownTrackerNames(seed.tracker, names, personsOf(seed, known)),
    ]);
    if (!context.isNew) seed = await withFreeNames(tx, seed, { there: known.ids });
    await this.people.add(tx, context, seed.users, known);
    const apps = await this.apps.add(tx, context, seed.apps, known);
    await this.people.addCredentials(tx, context, seed.users, known);
    await this.conversations.addChannels(tx, context, seed.channels, known);
    const at = this.clock.nowSeconds();
    await addBookmarks(tx, context, seed, known, at);
    const groups = await addUsergroups(tx, context, seed, known, at);
    const faults: string[] = [];
    const placed = await this.conversations.place(tx, context, seed, known, faults);
    this.refuseFaults(faults);
    await addMessages(tx, context, placed, known, this.publicUrl.base);
    const hooks = await this.hooks.add(tx, context, seed, known);
    await this.requireRoom(tx, context, seed);
    const tracked = await this.tracker.fill(
      tx,
      {
        organizationId: context.organizationId,
        creatorId: [...known.users.values()].find(({ id }) => id === context.adminId)?.trackerId as string,
        userId: (name) => known.person(name)?.trackerId ?? undefined,
        isNew: context.isNew,
        isBare,
      },
      seed.tracker,
      names,
      faults,
    );
    this.refuseFaults(faults);
    const refs = { ...refsOf(placed), ...groups, ...hooks, ...tracked.refs };
    await this.saveRefs(tx, context, refs);
    await addScript(tx, context.tenantId, seed.script, this.clock.wallMs());
    const { users, accessTokenSeconds } = seed;
    return {
      users: await this.people.openSessions(tx, context, users, accessTokenSeconds, known),
      channels: Object.fromEntries(seed.channels.map(({ name }) => [name, known.channels.get(name)?.id as string])),
      apps,
      teams: tracked.teams,
      tracker_apps: tracked.applications,
      refs,
    };
  }

  /** @throws RestError 409 too_many_…, with the path */
  private async requireRoom(tx: Tx, { workspaceId }: SeedContext, { apps, incoming, outgoing }: Seed): Promise<void> {
    const added: [boolean, string, Counted[]][] = [
      [apps.length > 0, 'apps', ['apps', 'commands', 'subscriptions']],
      [incoming.length > 0, 'incoming_webhooks', ['incoming_webhooks']],
      [outgoing.length > 0, 'outgoing_webhooks', ['outgoing_webhooks']],
    ];
    for (const [isThere, path, kinds] of added) {
      if (!isThere) continue;
      await this.counts.check(tx, workspaceId, ...kinds).catch((error: unknown) => {
        throw error instanceof RestError ? new RestError(409, error.code, undefined, path) : error;
      });
    }
  }

  /** Refs are stored without secrets, for copies and exports. */
  private async saveRefs(tx: Tx, { tenantId }: SeedContext, refs: Readonly<Record<string, object>>): Promise<void> {
    const things = Object.entries(refs).map(([ref, thing]) => {
      const { url: _url, secret: _secret, ...rest } = thing as Record<string, unknown>;
      return [ref, rest];
    });
    if (things.length > 0) await tx.query(SAVE_REFS, [tenantId, JSON.stringify(Object.fromEntries(things))]);
  }
}

/** What of the tracker is there that the document may name: its teams replace the first one of a new tenant. */
async function trackerNamesOf(
  tx: Tx,
  { organizationId, isNew }: SeedContext,
  { tracker: { teams, labels, projects, webhooks, things } }: Seed,
): Promise<TrackerNames> {
  if (teams === undefined && labels.length + projects.length + webhooks.length + things.length === 0)
    return TrackerNames.ofNew(false);
  const names = await TrackerNames.load(tx, organizationId, [
    ...(teams ?? []).map(({ key }) => key),
    ...teamsNamedIn([...things, ...(teams ?? []).flatMap((team) => team.things)]),
  ]);
  if (isNew && teams !== undefined) names.teams.delete('ENG');
  return names;
}

/** Refs of issues that earlier documents gave. */
async function issueRefsOf(tx: Tx, { tenantId, isNew }: SeedContext, { script }: Seed): Promise<string[]> {
  if (isNew || script.length === 0) return [];
  return (await tx.query<{ ref: string }>(ISSUE_REFS, [tenantId])).map(({ ref }) => ref);
}

const refsOf = (placed: readonly DatedMessage[]): Record<string, object> =>
  Object.fromEntries(
    placed.flatMap(({ message: { ref }, conversationId, ts }) =>
      ref === undefined ? [] : [[ref, { channel: conversationId, ts: formatTs(ts) }]],
    ),
  );
