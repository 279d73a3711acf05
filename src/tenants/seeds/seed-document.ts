import { drawing, type Draw } from '../../kernel/clock/request-sandbox.js';
import { nearest } from '../../kernel/config/unknown-settings.js';
import { MANIFEST_NAMES } from '../../messaging/events/event-names.js';
import { MAX_WARNINGS, type ManifestSurface } from '../../messaging/provisioning/manifest-warnings.js';
import { checkChannelName } from '../../messaging/wire/channel-name.js';
import type { SeedShape } from '../../tracker/entity/seed-shapes.js';
import { readScript } from '../scripts/read-script.js';
import { readApp } from './read-app.js';
import { readBookmarks } from './read-bookmarks.js';
import { MAX_MESSAGES, readMessages } from './read-messages.js';
import { readUsers } from './read-people.js';
import { readTracker } from './read-tracker.js';
import { readUsergroups } from './read-usergroups.js';
import { SeedReader } from './seed-reader.js';
import type { Seed, SeedChannel, SeedIncoming, SeedOutgoing } from './seed-types.js';

type Json = Record<string, unknown>;

const DOCUMENT =
  'name labels ttl_seconds journal methods rate_limit_multiplier missing_scope_status urls id_space deterministic clock team users channels dms apps usergroups incoming_webhooks outgoing_webhooks tracker script random_seed verify access_token_seconds from';
const OF_SANDBOX = { team: 'id name domain joinable', clock: 'now frozen tick_ms' };
/** How deep a document may nest. */
const MAX_DEPTH = 32;

/** What a document's made-up values are derived from. */
export type DrawOfDocument = Pick<Draw, 'seed' | 'call'>;

interface ReadOptions {
  readonly strict: boolean;
  readonly surface: ManifestSurface;
  readonly shapes: readonly SeedShape[];
  readonly fields?: string;
  readonly passwords?: boolean;
  /** Null: what it makes up is random. */
  readonly draw?: DrawOfDocument | null;
}

/**
 * Parses a document and reports its `faults`.
 * @param nowMicros the sandbox's time
 */
export const readSeed = (document: Json, nowMicros: number, options: ReadOptions): Seed =>
  drawing(options.draw ?? null, () => seedOf(document, nowMicros, options));

function seedOf(document: Json, nowMicros: number, options: ReadOptions): Seed {
  const read = new SeedReader(nowMicros, options.shapes);
  if (isDeeper(document, MAX_DEPTH)) {
    read.fault('document', `must nest at most ${MAX_DEPTH} levels deep`);
    document = {};
  }
  read.object(document, '', options.fields ?? DOCUMENT);
  // their values are read by whoever makes the sandbox
  for (const [part, fields] of options.fields === undefined ? Object.entries(OF_SANDBOX) : []) {
    const value = document[part];
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) read.object(value, part, fields);
  }
  const verify = read.flag(document['verify'], 'verify') ?? false;
  const appContext = { surface: options.surface, verify };
  const seed: Seed = {
    users: readUsers(document['users'], read, options.passwords ?? false),
    channels: read.list(document['channels'], 'channels').map((one, i) => readChannel(one, i, document, read)),
    dms: read.list(document['dms'], 'dms').map((value, i) => {
      const path = `dms[${i}]`;
      const dm = read.object(value, path, 'members messages');
      const members = read.texts(dm['members'], `${path}.members`);
      if (members.length === 0 || members.length > 9) read.fault(`${path}.members`, 'must name 1 to 9 people');
      return { members, messages: readMessages(dm['messages'], `${path}.messages`, document, read), path };
    }),
    apps: read.list(document['apps'], 'apps').map((one, i) => readApp(one, `apps[${i}]`, read, appContext)),
    usergroups: readUsergroups(document['usergroups'], read),
    incoming: read.list(document['incoming_webhooks'], 'incoming_webhooks').map((one, i) => {
      return readIncoming(one, `incoming_webhooks[${i}]`, read);
    }),
    outgoing: read.list(document['outgoing_webhooks'], 'outgoing_webhooks').map((one, i) => {
      return readOutgoing(one, `outgoing_webhooks[${i}]`, read);
    }),
    tracker: readTracker(document['tracker'], read),
    script: readScript(document['script'], read),
    accessTokenSeconds: read.whole(document['access_token_seconds'], 'access_token_seconds', 60, 2_592_000) ?? 86_400,
    faults: read.faults,
    warnings: read.warnings,
  };
  for (const [part, named] of [
    ['channels', seed.channels],
    ['apps', seed.apps],
  ] as const) {
    const seen = new Set<string>();
    for (const [i, { name }] of named.entries()) {
      if (name !== '' && seen.has(name)) read.fault(`${part}[${i}].name`, `"${name}" is there twice`);
      seen.add(name);
    }
  }
  const messages = [...seed.channels, ...seed.dms].reduce((sum, one) => sum + one.messages.length, 0);
  if (messages > MAX_MESSAGES) read.fault('channels', `must hold at most ${MAX_MESSAGES} messages`);
  if (options.strict) read.faults.push(...read.warnings);
  return seed;
}

/** Whether a value nests deeper than this; never recurses deeper either. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1));
}

function readChannel(value: unknown, i: number, document: Json, read: SeedReader): SeedChannel {
  const path = `channels[${i}]`;
  const channel = read.object(value, path, 'id name is_private without_owner topic purpose members bookmarks messages');
  const name = checkChannelName(String(channel['name'] ?? '').replace(/^#/, ''));
  if (!('name' in name)) read.fault(`${path}.name`, 'must be a channel name');
  return {
    name: 'name' in name ? name.name : '',
    id: read.id(channel['id'], `${path}.id`, 'C'),
    isPrivate: read.flag(channel['is_private'], `${path}.is_private`) ?? false,
    withoutOwner: read.flag(channel['without_owner'], `${path}.without_owner`) ?? false,
    topic: read.text(channel['topic'], `${path}.topic`, 250),
    purpose: read.text(channel['purpose'], `${path}.purpose`, 250),
    members: read.texts(channel['members'], `${path}.members`),
    bookmarks: readBookmarks(channel['bookmarks'], `${path}.bookmarks`, read),
    messages: readMessages(channel['messages'], `${path}.messages`, document, read),
    path,
  };
}

function readIncoming(value: unknown, path: string, read: SeedReader): SeedIncoming {
  const hook = read.object(value, path, 'app channel name icon_emoji icon_url ref');
  const emoji = read.text(hook['icon_emoji'], `${path}.icon_emoji`, 100);
  const image = hook['icon_url'] === undefined ? undefined : read.url(hook['icon_url'], `${path}.icon_url`);
  return {
    app: read.name(hook['app'], `${path}.app`),
    channel: read.name(hook['channel'], `${path}.channel`).replace(/^#/, ''),
    name: read.text(hook['name'], `${path}.name`, 80),
    icons: emoji !== undefined ? { emoji } : image !== undefined ? { image_48: image } : null,
    ref: read.ref(hook['ref'], `${path}.ref`),
    path,
  };
}

function readOutgoing(value: unknown, path: string, read: SeedReader): SeedOutgoing {
  const hook = read.object(value, path, 'url events name channel ref');
  const events = hook['events'] === undefined ? undefined : read.texts(hook['events'], `${path}.events`);
  for (const [i, name] of (events ?? []).entries()) {
    if (MANIFEST_NAMES.includes(name)) continue;
    // no more faults are answered
    const near = read.faults.length < MAX_WARNINGS ? nearest(name, MANIFEST_NAMES) : undefined;
    read.fault(`${path}.events[${i}]`, `no such event "${name}"${near === undefined ? '' : ` (${near}?)`}`);
  }
  return {
    url: read.url(hook['url'], `${path}.url`),
    events,
    name: read.text(hook['name'], `${path}.name`, 80) ?? 'seeded',
    channel: read.text(hook['channel'], `${path}.channel`, 81)?.replace(/^#/, ''),
    ref: read.ref(hook['ref'], `${path}.ref`),
    path,
  };
}
