import {
  between,
  described,
  flag,
  integer,
  listOf,
  mapOf,
  MATCHER,
  number,
  objectOf,
  oneOf,
  open,
  text,
  type SchemaObject,
} from '../access/schemas.js';
import { CHANGEABLE } from '../sandboxes/sandboxes.schemas.js';

// Documents as their parsers in tenants/seeds accept them (docs/reference/sandboxes.md#seeds).

const either = (...schemas: SchemaObject[]): SchemaObject => ({ oneOf: schemas });
const id = (prefix: string): SchemaObject => ({ type: 'string', pattern: `^${prefix}0[0-9A-Z]{9}$` });
const uuid: SchemaObject = { type: 'string', format: 'uuid' };
const token = (prefix: string): SchemaObject => ({
  type: 'string',
  minLength: 20,
  maxLength: 255,
  pattern: `^${prefix}[A-Za-z0-9-]+$`,
});
const url: SchemaObject = { type: 'string', format: 'uri', maxLength: 2048 };
const day: SchemaObject = { type: 'string', format: 'date' };
const color: SchemaObject = { type: 'string', pattern: '^#[0-9A-Fa-f]{6}$' };
const texts = listOf(text);
const ref = described(text, 'a name of its own in the document');
const at = described(either(number, text), "seconds relative to the sandbox's now, or an ISO time");
const moment = described(either(number, text), 'an ISO time, or seconds since 1970');

const USER = objectOf(
  { name: text },
  {
    id: id('U'),
    real_name: text,
    email: text,
    is_admin: flag,
    presence: oneOf('auto', 'away'),
    profile: open,
    user_token: token('xoxp-'),
    api_key: token('svc_api_'),
  },
);

const MESSAGE = objectOf(
  { as: described(text, 'a user or an app') },
  {
    text,
    blocks: listOf(open),
    attachments: listOf(open),
    at,
    ref,
    ts: { type: 'string', pattern: '^[0-9]+\\.[0-9]{6}$' },
    thread: described(text, 'the ref of the message that it replies to'),
    reactions: described(mapOf(texts), 'by name, who reacted'),
  },
);
const MESSAGES = described(either(between(0, 50_000), listOf(MESSAGE)), 'or how many to make up');

const CHANNEL = objectOf(
  { name: text },
  {
    id: id('C'),
    is_private: flag,
    without_owner: flag,
    topic: text,
    purpose: text,
    members: texts,
    bookmarks: listOf(objectOf({ title: text, link: url }, { emoji: text })),
    messages: MESSAGES,
  },
);

const APP = objectOf(
  {},
  {
    name: text,
    id: id('A'),
    manifest: described(open, 'in place of the fields below'),
    scopes: objectOf({}, { bot: texts, user: texts }),
    event_subscriptions: objectOf({}, { request_url: url, events: texts, user_events: texts, verify: flag }),
    interactivity_url: url,
    commands: listOf(objectOf({ command: text }, { url, description: text, usage_hint: text })),
    bot_token: token('xoxb-'),
    user_token: token('xoxp-'),
    app_token: token('xapp-1-'),
    signing_secret: token(''),
    redirect_urls: texts,
    distributed: flag,
    token_rotation: flag,
    pkce: flag,
    client_id: { type: 'string', pattern: '^[0-9]{12}\\.[0-9]{13}$' },
    client_secret: { type: 'string', pattern: '^[0-9a-f]{32}$' },
    installed: { oneOf: [flag, objectOf({}, { users: texts, rotating: flag })] },
  },
);

const LABEL = objectOf({ name: text }, { id: uuid, color, description: text });
const STATE = objectOf(
  { name: text },
  {
    id: uuid,
    type: oneOf('backlog', 'unstarted', 'started', 'completed', 'canceled', 'duplicate'),
    color,
    description: text,
  },
);
const REPLY = objectOf({ as: text, body: text }, { id: uuid, at });
const COMMENT = objectOf(
  { as: text, body: text },
  { id: uuid, at, resolved: described(text, 'who resolved it'), replies: listOf(REPLY) },
);
const ACTIVITY = objectOf(
  { type: oneOf('thought', 'action', 'elicitation', 'response', 'error', 'prompt') },
  {
    id: uuid,
    body: described(text, 'of all but actions'),
    action: text,
    parameter: text,
    result: text,
    reason_code: text,
    as: described(text, 'who prompts'),
    at,
    ephemeral: flag,
    signal: oneOf('auth', 'select', 'stop', 'continue'),
    signal_metadata: open,
  },
);
const SESSION = objectOf(
  { app: described(text, 'an application that acts as itself') },
  {
    id: uuid,
    status: oneOf('pending', 'active', 'awaitingInput', 'complete', 'error', 'stopping', 'stale'),
    as: described(text, 'who began it'),
    at,
    delegated: flag,
    dismissed: described(text, 'who took the issue away from it'),
    summary: text,
    plan: listOf(objectOf({ content: text, status: oneOf('pending', 'inProgress', 'completed', 'canceled') }, {})),
    external_urls: listOf(objectOf({ label: text, url }, {})),
    external_link: url,
    activities: listOf(ACTIVITY),
  },
);
const ISSUE = objectOf(
  { title: text },
  {
    id: uuid,
    description: text,
    state: text,
    assignee: text,
    as: text,
    priority: between(0, 4),
    due_date: day,
    estimate: { type: 'integer', minimum: 0 },
    labels: texts,
    number: between(1, 2_147_483_647),
    at,
    ref,
    parent: described(text, 'the ref of an issue'),
    project: text,
    cycle: between(1, 2_147_483_647),
    comments: listOf(COMMENT),
    subscribers: texts,
    archived: flag,
    milestone: described(text, 'of its project'),
    template: described(text, 'that it was made from'),
    delegate: described(text, 'an application that acts as itself'),
    sessions: described(listOf(SESSION), 'what applications did as agents'),
  },
);
const TEAM = objectOf(
  { key: { type: 'string', pattern: '^[A-Za-z0-9]{1,7}$' } },
  {
    id: uuid,
    name: text,
    description: text,
    private: flag,
    members: described(texts, 'besides all active people, of a public one'),
    guidance: described(text, 'how agents are to work in it'),
    labels: listOf(LABEL),
    states: listOf(STATE),
    issues: listOf(ISSUE),
  },
);
const PROJECT = objectOf(
  { name: text, teams: texts },
  {
    id: uuid,
    description: text,
    content: text,
    members: texts,
    labels: texts,
    lead: text,
    status: text,
    priority: between(0, 4),
    start_date: day,
    target_date: day,
  },
);
const TRACKER_WEBHOOK = objectOf(
  { url, resource_types: texts },
  { id: uuid, label: text, team: text, secret: token(''), ref },
);
const TRACKER_APP = objectOf(
  { name: text },
  {
    redirect_uris: texts,
    client_credentials: flag,
    public: flag,
    webhook_url: url,
    webhook_resource_types: texts,
    client_id: text,
    client_secret: token(''),
    installed: either(flag, objectOf({}, { actor: text, scopes: texts, as: text })),
  },
);
const TRACKER = objectOf(
  {},
  {
    teams: listOf(TEAM),
    labels: listOf(LABEL),
    projects: listOf(PROJECT),
    webhooks: listOf(TRACKER_WEBHOOK),
    apps: listOf(TRACKER_APP),
    guidance: described(text, 'how agents are to work'),
  },
);

/** What holds lists of things that a product declares: it says so at start-up, with `declareThings`. */
const HOLDERS: Record<string, object> = {
  tracker: TRACKER,
  team: TEAM,
  project: PROJECT,
  issue: ISSUE,
  comment: COMMENT,
};

/** A list of things in a document. @param fields the required ones, and the others @param own what holds lists itself */
export function declareThings(
  within: string,
  as: string,
  [required, optional]: [Record<string, ThingValue>, Record<string, ThingValue>],
  own: string,
): void {
  const schemas = (values: Record<string, ThingValue>) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, THING_VALUES[value]]));
  const { properties } = HOLDERS[within] as { properties: Record<string, SchemaObject> };
  HOLDERS[own] = objectOf(schemas(required), { id: uuid, ...schemas(optional) });
  properties[as] = listOf(HOLDERS[own]);
}

/** A list of names, or one name: `projects: ['Q1']`. */
export function declareWords(within: string, as: string, isOne: boolean): void {
  const { properties } = HOLDERS[within] as { properties: Record<string, SchemaObject> };
  properties[as] = isOne ? text : texts;
}

/** Lists of names by a word: `reactions: { tada: ['bob'] }`. */
export function declareNames(within: string, as: string): void {
  // a reply holds what a comment holds
  for (const holder of within === 'comment' ? [COMMENT, REPLY] : [HOLDERS[within]]) {
    const { properties } = holder as { properties: Record<string, SchemaObject> };
    properties[as] = { type: 'object', additionalProperties: texts };
  }
}

const THING_VALUES = {
  text,
  texts,
  number,
  flag,
  moment: text,
  day,
  json: open,
  reference: text,
  references: texts,
  at,
};
export type ThingValue = keyof typeof THING_VALUES;

/** What a colleague does by itself, as `readScript` accepts it. */
export const SCRIPT_ENTRY = objectOf(
  { as: described(text, 'a person'), do: described(open, 'one act with its fields: {"message": {…}}') },
  {
    name: text,
    at: described(either(number, text), "seconds after the sandbox's now, or an ISO time"),
    when: described(
      objectOf({ for: oneOf('message', 'event', 'call', 'issue') }, { where: MATCHER }),
      'instead of `at`: what sets it off',
    ),
    after: described(number, 'seconds after that'),
    times: described({ ...integer, nullable: true }, 'null: always; default: 1'),
    skip: integer,
    fired: described(integer, 'how often it was done, in exports'),
    error: described(text, 'what its last act was refused with, in exports'),
  },
);

/** The content of a sandbox. */
const PARTS = {
  users: described(
    either(between(0, 1_000), listOf(either(text, USER))),
    'a name alone will do; or how many to make up',
  ),
  channels: listOf(CHANNEL),
  dms: listOf(objectOf({ members: texts }, { messages: MESSAGES })),
  apps: listOf(APP),
  usergroups: listOf(objectOf({ name: text, users: texts }, { handle: text, description: text, channels: texts, ref })),
  incoming_webhooks: listOf(
    objectOf({ app: text, channel: text }, { name: text, icon_emoji: text, icon_url: url, ref }),
  ),
  outgoing_webhooks: listOf(objectOf({ url }, { events: texts, name: text, channel: text, ref })),
  tracker: TRACKER,
  script: listOf(SCRIPT_ENTRY),
  random_seed: number,
  verify: described(flag, 'ask request URLs for their handshake'),
  access_token_seconds: between(60, 2_592_000),
};

/** Content for an existing sandbox. */
export const SEED_DOCUMENT = objectOf({}, PARTS);

/** The content of a new sandbox: a document, or a snapshot (`from`) with settings. */
export const SANDBOX_DOCUMENT = objectOf(
  {},
  {
    ...CHANGEABLE,
    id_space: described(oneOf('server', 'own'), 'own: its ids mean something in it alone; default: server'),
    deterministic: described(
      flag,
      'true: the same calls have the same answers; needs id_space own and a frozen clock; default: false',
    ),
    clock: objectOf({}, { now: moment, frozen: flag, tick_ms: between(0, 86_400_000) }),
    team: objectOf(
      {},
      { name: text, id: id('T'), domain: { type: 'string', pattern: '^[a-z0-9](-?[a-z0-9]){0,20}$' }, joinable: flag },
    ),
    ...PARTS,
    from: described(text, 'the id of a snapshot that is copied'),
    pool: described(text, 'the id or the name of a pool that a sandbox is claimed from'),
  },
);
