import { Injectable } from '@nestjs/common';
import { Db, type Tx } from '../../../kernel/database/db.js';
import { RestError } from '../../../kernel/http/http-error.js';
import { writeYaml } from '../../../kernel/text/yaml.js';
import { profileOf } from '../../../messaging/provisioning/initial-values.js';
import { APPS_TO_EXPORT } from '../../../messaging/sandbox/export.queries.js';
import { MAX_ISSUES } from '../read-tracker.js';
import { MAX_MESSAGES } from '../read-messages.js';
import { HANDLE, PROFILE_FIELDS } from '../read-people.js';
import { SCRIPT_TO_EXPORT } from '../../scripts/script-store.queries.js';
import { exportApp, type StoredApp } from './export-apps.js';
import { exportChat } from './export-chat.js';
import { exportTracker } from './export-tracker.js';
import { ONE_MOMENT, PEOPLE, REFS, SANDBOX, SIZES, TRACKER_PEOPLE } from './export.queries.js';
import { ExportRefs, said, uniqueName } from './names-out.js';

type Json = Record<string, unknown>;

/** Limits of a document's size (docs/reference/sandboxes.md#seeds). */
const MAX_JSON_BYTES = 32 * 1024 * 1024;
const MAX_YAML_BYTES = 2 * 1024 * 1024;

interface Sandbox extends Json {
  workspaceId: string;
  organizationId: string | null;
  adminId: string;
  teamName: string;
  domain: string;
  clockOffset: number;
  frozenAt: number | null;
  tickMs: number;
  hasOwnIds: boolean;
  deterministic: boolean;
  randomSeed: number;
}

interface StoredScript extends Json {
  entry: Json;
  fired: number;
  error: string | null;
}

interface Person extends Json {
  id: string;
  name: string;
  role: string;
  email: string | null;
  profile: Json & { real_name?: string };
  presence: 'auto' | 'away';
  trackerId: string | null;
}

interface TrackerPerson extends Json {
  id: string;
  trackerId: string;
  displayName: string;
  name: string;
  email: string;
  admin: boolean;
}

/** Exports sandboxes as documents, without secrets: a sandbox made from an export exports the same again. */
@Injectable()
export class Exporting {
  constructor(private readonly db: Db) {}

  /**
   * @param options.ids includes ids and everything that must be unique
   * @throws RestError 409 sandbox_too_large
   */
  async document(tenantId: number, { ids }: { ids: boolean }): Promise<Json> {
    const document = await this.db.write(async (tx) => {
      await tx.queryText(ONE_MOMENT);
      return exportAll(tx, tenantId, ids);
    });
    if (Buffer.byteLength(JSON.stringify(document)) > MAX_JSON_BYTES) throw new RestError(409, 'sandbox_too_large');
    return document;
  }

  /** @throws RestError 409 sandbox_too_large */
  asYaml(document: Json): string {
    const text = writeYaml(document);
    if (Buffer.byteLength(text) > MAX_YAML_BYTES) throw new RestError(409, 'sandbox_too_large');
    return text;
  }
}

async function exportAll(tx: Tx, tenantId: number, ids: boolean): Promise<Json> {
  const [sandbox] = await tx.query<Sandbox>(SANDBOX, [tenantId]);
  if (!sandbox) throw new RestError(404, 'sandbox_not_found');
  const { workspaceId, organizationId, adminId } = sandbox;
  await refuseLarge(tx, workspaceId, organizationId);
  const people = await peopleOf(tx, sandbox, ids);
  const refs = new ExportRefs(await tx.query<{ ref: string; thing: Json }>(REFS, [tenantId]));
  const taken = new Set(people.byId.values());
  const apps = (await tx.query<StoredApp>(APPS_TO_EXPORT, [workspaceId])).map((app) => ({
    ...app,
    name: uniqueName(app.name, taken, 35),
  }));
  const users = new Map([...people.byId, ...apps.map(({ botUserId, name }) => [botUserId, name] as const)]);
  const context = { workspaceId, adminId, ids, apps, people: new Set(people.byId.keys()), refs };
  const chat = await exportChat(tx, context, users);
  const tracked =
    organizationId === null
      ? undefined
      : await exportTracker(tx, organizationId, {
          people: people.byTrackerId,
          ownerId: people.ownerTrackerId,
          refs,
          ids,
        });
  return said({
    ...aboutSandbox(sandbox, Math.max(chat.newest, tracked?.newest ?? 0)),
    team: said({
      name: sandbox.teamName,
      id: ids ? workspaceId : undefined,
      domain: ids ? sandbox.domain : undefined,
    }),
    users: people.users,
    apps: apps.flatMap((app) => exportApp(app, ids)),
    channels: chat.channels,
    dms: chat.dms,
    usergroups: chat.usergroups,
    incoming_webhooks: chat.incoming,
    outgoing_webhooks: chat.outgoing,
    tracker: tracked?.tracker,
    script: (await tx.query<StoredScript>(SCRIPT_TO_EXPORT, [tenantId])).map(exportEntry),
  });
}

/** With its state, as far as it is none of the clock's. */
const exportEntry = ({ entry, fired, error }: StoredScript): Json => ({
  ...entry,
  ...(fired > 0 && { fired }),
  ...(error !== null && { error }),
});

async function refuseLarge(tx: Tx, workspaceId: string, organizationId: string | null): Promise<void> {
  const [size] = await tx.query<{ messages: number; issues: number; bytes: number }>(SIZES, [
    workspaceId,
    organizationId,
  ]);
  const { messages = 0, issues = 0, bytes = 0 } = size ?? {};
  if (messages > MAX_MESSAGES || issues > MAX_ISSUES || bytes > 4 * MAX_JSON_BYTES) {
    throw new RestError(409, 'sandbox_too_large');
  }
}

/**
 * The sandbox's settings. Its own clock is exported as the time of its newest content, or the time at which it was
 * stopped: otherwise two exports would differ.
 */
function aboutSandbox(sandbox: Sandbox, newest: number): Json {
  const { frozenAt, clockOffset, labels, tickMs, hasOwnIds, deterministic, randomSeed } = sandbox;
  const at = Math.ceil(Math.max(frozenAt ?? 0, newest) / 1000);
  const clock =
    frozenAt !== null
      ? { now: new Date(at).toISOString(), frozen: true, ...(tickMs > 0 && { tick_ms: tickMs }) }
      : clockOffset !== 0 && newest > 0
        ? { now: new Date(at).toISOString() }
        : undefined;
  return {
    name: sandbox['name'],
    labels: Object.keys(labels as object).length > 0 ? labels : undefined,
    journal: sandbox['journal'],
    methods: sandbox['methods'],
    rate_limit_multiplier: sandbox['rateLimitMultiplier'],
    missing_scope_status: sandbox['missingScopeStatus'],
    urls: sandbox['urls'],
    id_space: hasOwnIds ? 'own' : undefined,
    deterministic: deterministic || undefined,
    random_seed: hasOwnIds && randomSeed !== 1 ? randomSeed : undefined,
    clock,
  };
}

/** People, with their names in a document. The primary owner is `admin`, unless another person has that name. */
async function peopleOf(tx: Tx, sandbox: Sandbox, ids: boolean) {
  const { workspaceId, organizationId, adminId } = sandbox;
  const rows = await tx.query<Person>(PEOPLE, [workspaceId, organizationId]);
  const inTracker =
    organizationId === null ? [] : await tx.query<TrackerPerson>(TRACKER_PEOPLE, [workspaceId, organizationId]);
  const isFree = rows.every(({ id, name }) => name !== 'admin' || id === adminId);
  const byId = new Map(rows.map(({ id, name }) => [id, id === adminId && isFree ? 'admin' : name]));
  const taken = new Set(byId.values());
  const users = rows.flatMap((person) => {
    const { id, profile, role, presence, email } = person;
    const name = byId.get(id) as string;
    const isOwner = id === adminId;
    const realName = profile.real_name ?? person.name;
    const usual = profileOf(realName, person.name) as Json;
    const more = Object.entries(profile).filter(
      ([key, value]) => PROFILE_FIELDS.includes(key) && JSON.stringify(value) !== JSON.stringify(usual[key]),
    );
    const one = said({
      name,
      id: ids ? id : undefined,
      real_name: realName === name || (isOwner && realName === 'Admin') ? undefined : realName,
      email: ids && !isOwner ? email : undefined,
      is_admin: role !== 'member' && !isOwner ? true : undefined,
      presence: presence === 'away' ? presence : undefined,
      profile: more.length > 0 ? Object.fromEntries(more) : undefined,
    });
    return isOwner && Object.keys(one).length === 1 ? [] : [one];
  });
  const others = inTracker.map(({ id, displayName, name: realName, email, admin }) => {
    const handle = HANDLE.test(displayName) ? displayName : 'user';
    const name = uniqueName(handle, taken, 80).replaceAll(' ', '-');
    byId.set(id, name);
    return said({
      name,
      id: ids ? id : undefined,
      real_name: realName === name ? undefined : realName,
      email: ids ? email : undefined,
      is_admin: admin || undefined,
    });
  });
  const withTracker = [...rows, ...inTracker].flatMap(({ id, trackerId }) =>
    trackerId === null ? [] : [[trackerId, byId.get(id) as string] as const],
  );
  return {
    users: [...users, ...others],
    byId,
    byTrackerId: new Map(withTracker),
    ownerTrackerId: rows.find(({ id }) => id === adminId)?.trackerId ?? undefined,
  };
}
