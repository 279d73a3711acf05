/** A seed document: everything has a name, nothing needs an id. The server's reference lists all fields. */
export interface SeedDocument {
  name?: string;
  labels?: Record<string, string>;
  ttl_seconds?: number | null;
  journal?: boolean;
  methods?: 'core' | 'all';
  /** The form of the URLs that it gives out. Default: `server`. */
  urls?: 'server' | 'vendor';
  /** `own`: its ids mean something in it alone, so that many sandboxes may have the same. Default: `server`. */
  id_space?: 'server' | 'own';
  /** The same calls have the same answers: needs ids of its own and a frozen clock. */
  deterministic?: boolean;
  /** What ids are derived from where they are its own. Default: 1. */
  random_seed?: number;
  /** With `tick_ms` a frozen clock goes on by so many milliseconds with each answered call. */
  clock?: { now?: string; frozen?: boolean; tick_ms?: number };
  team?: { name?: string; domain?: string; id?: string; joinable?: boolean };
  users?: number | (string | SeedUser)[];
  channels?: SeedChannel[];
  dms?: { members: string[]; messages?: SeedMessage[] }[];
  apps?: SeedApp[];
  usergroups?: object[];
  incoming_webhooks?: object[];
  outgoing_webhooks?: object[];
  tracker?: object;
  [field: string]: unknown;
}

export interface SeedUser {
  name: string;
  real_name?: string;
  email?: string;
  is_admin?: boolean;
  [field: string]: unknown;
}

export interface SeedChannel {
  name: string;
  is_private?: boolean;
  without_owner?: boolean;
  topic?: string;
  members?: string[];
  messages?: number | SeedMessage[];
  [field: string]: unknown;
}

export interface SeedMessage {
  as: string;
  text?: string;
  ref?: string;
  [field: string]: unknown;
}

export interface SeedApp {
  name: string;
  scopes?: { bot?: string[]; user?: string[] };
  manifest?: object;
  [field: string]: unknown;
}

/** The credentials that are returned when a sandbox is made. */
export interface Credentials {
  control_token: string;
  bot_token: string;
  user_token: string;
  app_token: string | null;
  /** Of the default app, as the tokens are. */
  app_id: string;
  bot_user_id: string;
  bot_id: string;
  signing_secret: string;
  verification_token: string;
  client_id: string | null;
  client_secret: string | null;
  api_key: string;
  admin: { user_id: string; email: string; password: string };
  users: Record<string, { user_id: string; access_token: string; tracker_user_id?: string }>;
  channels: Record<string, string>;
  apps: Record<string, AppCredentials>;
  teams: Record<string, { id: string }>;
  /** Applications of the tracker, `default-app` among them. */
  tracker_apps: Record<string, TrackerAppCredentials>;
  refs: Record<string, Record<string, string>>;
  /** The tool servers as the default app, without a header. */
  mcp?: { chat_url: string; issues_url: string };
}

export interface TrackerAppCredentials {
  id: string;
  client_id: string;
  /** Null where the application was there before: only a hash of it is stored. */
  client_secret: string | null;
  webhook_secret: string | null;
  /** Null unless the document says that it is installed. */
  access_token: string | null;
  refresh_token: string | null;
  /** Of an application that acts as a user of its own. */
  app_user_id: string | null;
}

export interface AppCredentials {
  app_id: string;
  /** Null for an app that is registered and not installed. */
  bot_token: string | null;
  user_token?: string | null;
  app_token?: string | null;
  signing_secret: string;
  bot_user_id: string | null;
  bot_id: string | null;
  client_id: string | null;
  client_secret: string | null;
  refresh_token?: string;
  expires_in?: number;
  /** Of the people for whom it is installed. */
  users?: Record<string, { user_token: string; refresh_token?: string }>;
}

/** The environment variables of an app, under the names that official clients and Bolt's examples read. */
export type Environment = Record<string, string> & {
  /** Ends in `/api/`. */
  SLACK_API_URL: string;
  SLACK_BOT_TOKEN: string;
  /** Absent if the app may not use Socket Mode. `SLACK_USER_TOKEN` is there too, if it has user scopes. */
  SLACK_APP_TOKEN?: string;
  SLACK_SIGNING_SECRET: string;
  LINEAR_API_URL: string;
  LINEAR_API_KEY: string;
  /** Of the organization's `default-app`, as is `LINEAR_CLIENT_SECRET`. */
  LINEAR_CLIENT_ID?: string;
  LINEAR_CLIENT_SECRET?: string;
  LINEAR_AUTHORIZE_URL: string;
  LINEAR_TOKEN_URL: string;
};

/** An entry of the timeline. */
export interface Entry {
  id: string;
  at: string;
  wall: string;
  kind: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- what else an entry has goes by its kind
  [field: string]: any;
}

/** A message as the chat's API shows it. */
export interface Message {
  ts: string;
  text?: string;
  channel: string;
  user?: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  [field: string]: any;
}

/** What a person did, and what the app did in response. */
export interface Acted {
  user_id: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- goes by the verb
  result: any;
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  deliveries: any[];
  // oxlint-disable typescript/no-explicit-any -- as above
  replies: {
    messages: any[];
    ephemeral: any[];
    views: any[];
    reactions: any[];
    /** In the tracker: comments by applications, and what agents say in their sessions. */
    comments: any[];
    activities: any[];
  };
  // oxlint-enable typescript/no-explicit-any
  response: unknown;
  timed_out: boolean;
}

/** What an app suggested for an external select. */
export interface Suggested extends Acted {
  // oxlint-disable-next-line typescript/no-explicit-any -- options as the app answered them
  options: any[];
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  option_groups?: any[];
}

/** Part of an object, or matchers for its fields: a regular expression matches a string. */
export type Where = Record<string, unknown>;
