import {
  between,
  described,
  flag,
  integer,
  isoTime,
  listOf,
  mapOf,
  number,
  objectOf,
  oneOf,
  orNull,
  text,
} from '../access/schemas.js';

export { objectOf, SUCCESS_SCHEMA } from '../access/schemas.js';

export const CLOCK_SCHEMA = objectOf({
  now: isoTime,
  offset_ms: integer,
  frozen: flag,
  tick_ms: integer,
});

const X = {
  id: text,
  name: text,
  labels: mapOf(text),
  team_id: text,
  url_key: orNull(text),
  created: integer,
  expires_at: orNull(integer),
  journal: flag,
  clock: CLOCK_SCHEMA,
  counts: objectOf({ users: integer, channels: integer, messages: integer, issues: integer }),
  snapshots: integer,
  faults: integer,
  delivery_rules: integer,
  last_call_at: orNull(integer),
  methods: oneOf('core', 'all'),
  owner: orNull(text),
  rate_limit_multiplier: number,
  missing_scope_status: integer,
  urls: oneOf('server', 'vendor'),
  pool: orNull(text),
  id_space: oneOf('server', 'own'),
  deterministic: flag,
};

export const SANDBOX_SCHEMA = objectOf(X);

export const REFS_SCHEMA = mapOf(objectOf({}, { channel: text, ts: text, id: text, identifier: text, url: text }));

export const USERS_SCHEMA = mapOf(
  objectOf({ user_id: text, access_token: orNull(text), tracker_user_id: orNull(text) }),
);

export const APPS_SCHEMA = mapOf(
  objectOf(
    {
      app_id: text,
      bot_token: orNull(text),
      user_token: orNull(text),
      app_token: orNull(text),
      signing_secret: text,
      bot_user_id: orNull(text),
      bot_id: orNull(text),
      client_id: orNull(text),
      client_secret: orNull(text),
    },
    {
      refresh_token: text,
      expires_in: { type: 'integer' },
      users: mapOf(objectOf({ user_token: text }, { refresh_token: text })),
    },
  ),
);

export const TRACKER_APPS_SCHEMA = mapOf(
  objectOf({
    id: text,
    client_id: text,
    client_secret: text,
    webhook_secret: orNull(text),
    access_token: orNull(text),
    refresh_token: orNull(text),
    app_user_id: orNull(text),
  }),
);

const CREDENTIALS = objectOf(
  {
    control_token: text,
    bot_token: text,
    user_token: orNull(text),
    app_token: orNull(text),
    app_id: text,
    bot_user_id: text,
    bot_id: text,
    signing_secret: text,
    verification_token: text,
    client_id: orNull(text),
    client_secret: orNull(text),
    api_key: text,
    admin: objectOf({ user_id: text, email: text, password: orNull(text) }),
    users: USERS_SCHEMA,
    channels: mapOf(text),
    apps: APPS_SCHEMA,
    teams: mapOf(objectOf({ id: text })),
    tracker_apps: TRACKER_APPS_SCHEMA,
    refs: REFS_SCHEMA,
  },
  { mcp: objectOf({ chat_url: text, issues_url: text }) },
);

export const CREATED_SCHEMA = objectOf(
  { ...X, credentials: CREDENTIALS },
  { warnings: listOf(text), pooled: described(flag, 'of a claim: whether it was ready') },
);

/** The settings that creation accepts as well. */
export const CHANGEABLE = {
  name: { type: 'string', minLength: 1, maxLength: 80 },
  labels: { ...mapOf(text), maxProperties: 20 },
  ttl_seconds: orNull(between(60, 2_592_000)),
  journal: orNull(flag),
  methods: orNull(oneOf('core', 'all')),
  rate_limit_multiplier: orNull({ type: 'number', minimum: 0, maximum: 1_000_000 }),
  missing_scope_status: orNull({ type: 'integer', enum: [200, 403] }),
  urls: orNull(oneOf('server', 'vendor')),
} as const;

export const CHANGES_BODY = objectOf({}, CHANGEABLE);

export const CONTROL_TOKEN_SCHEMA = objectOf({ control_token: text });

export const ACT_AS_BODY = objectOf({ user: { type: 'string', description: 'id or name' } });

export const ACT_AS_SCHEMA = objectOf({
  access_token: text,
  expires_in: integer,
  user: objectOf({ id: text, name: text, real_name: text, email: orNull(text) }),
});

export const SNAPSHOT_SCHEMA = objectOf({ id: text, name: text, created: integer, rows: integer, bytes: integer });

export const RESET_SCHEMA = objectOf({ to: text, rows: integer, ms: integer });
