import {
  anything,
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
  open,
  orNull,
  text,
  type SchemaObject,
} from '../access/schemas.js';
import { CALLERS, KINDS } from './filters.js';

export const CALLER_SCHEMA = objectOf(
  { kind: oneOf(...CALLERS) },
  { app_id: text, app: text, user_id: text, user: text },
);

export const TARGET_KINDS = [
  'event_subscription',
  'outgoing_webhook',
  'command',
  'interaction',
  'socket',
  'tracker_webhook',
] as const;

/** Of what is signed. */
export const SIGNATURE_SCHEMA = described(
  oneOf('accepted', 'wrong_signature', 'old_timestamp'),
  'what a receiver with the secret of the target makes of it',
);

const HEADERS = mapOf(text);
export const REQUEST_SCHEMA = objectOf({ headers: HEADERS }, { method: text, query: open, body: anything });
export const RESPONSE_SCHEMA = objectOf({ status: integer }, { headers: HEADERS, body: anything });

/** Fields of all kinds: the kind determines which an entry has. */
const FIELDS: Record<string, SchemaObject> = {
  product: oneOf('chat', 'tracker'),
  cause: described(text, 'the request that caused it'),
  truncated: described(flag, 'a body was cut'),
  length: described(integer, 'of the whole body that was cut'),
  // calls
  started: described(isoTime, 'when the call began, by real time; `wall` is when it ended'),
  method: text,
  methods: listOf(text),
  caller: CALLER_SCHEMA,
  args: anything,
  status: integer,
  ok: flag,
  error: orNull(text),
  answer: anything,
  ms: number,
  request_id: text,
  user_agent: orNull(text),
  client: text,
  acted_by: text,
  cost: objectOf({}, { complexity: number, complexity_left: number, requests_left: number }),
  fault: described(text, 'of the fault that hit the call'),
  // events, notes
  event: text,
  data: anything,
  room: text,
  last_sync_id: integer,
  text,
  // deliveries
  delivery_id: text,
  target: objectOf(
    { id: text, kind: oneOf(...TARGET_KINDS), url: orNull(text) },
    { app: described(text, 'the name of an application of the tracker whose own webhook it is') },
  ),
  attempt: integer,
  event_id: orNull(text),
  app_id: text,
  trigger_id: text,
  request: REQUEST_SCHEMA,
  response: RESPONSE_SCHEMA,
  next_retry_at: orNull(isoTime),
  signature: SIGNATURE_SCHEMA,
  rule: described(text, 'of the delivery rule that decided'),
  // received
  inbox: text,
  name: text,
  verified: orNull(described(text, 'whose secret signed it')),
  // actions of the test
  action: text,
  fault_id: text,
  type: text,
  to: text,
  rows: integer,
  now: isoTime,
  frozen: flag,
  // the view `summary`
  summary: text,
  channel: text,
  user: text,
  bytes: integer,
};

export const ENTRY_SCHEMA: SchemaObject = {
  ...objectOf(
    { id: described(text, 'its place: a cursor'), at: isoTime, wall: isoTime, kind: oneOf(...KINDS) },
    FIELDS,
  ),
  additionalProperties: true,
};

/** How something differs from a matcher. */
export const DIFFERS_SCHEMA = listOf(objectOf({ path: text }, { expected: anything, actual: anything }));

export const PAGE_SCHEMA = objectOf({ entries: listOf(ENTRY_SCHEMA), cursor: text, more: flag });
export const CURSOR_SCHEMA = objectOf({ cursor: text });
export const NOTE_BODY = objectOf({ text: { type: 'string', minLength: 1, maxLength: 10_000 } }, { data: anything });

const list = (what: string): SchemaObject => described(text, `a comma list of ${what}`);

/** The parameters of the routes that read a timeline, by name. */
export const FILTER_SCHEMAS: Readonly<Record<string, SchemaObject>> = {
  kind: list(KINDS.join(', ')),
  product: list('chat, tracker'),
  method: list('methods, families (`chat.*`)'),
  app_id: list('ids'),
  caller: list(CALLERS.join(', ')),
  user: list('ids or names'),
  channel: list('ids or names'),
  ok: list('true, false'),
  error: list('codes'),
  client: list('clients: `ui`, `replay`'),
  text: described(text, 'what stands anywhere in the entry'),
  where: described(text, 'a matcher, as JSON'),
  since: described(text, 'an ISO time, `mark` or a cursor'),
  until: isoTime,
  after: described(text, 'a cursor, or `now`'),
  before: described(text, 'a cursor'),
  limit: { ...between(1, 1_000), default: 100 },
  order: { ...oneOf('asc', 'desc'), default: 'asc' },
  view: { ...oneOf('full', 'summary'), default: 'full' },
};

const HAR_ENTRY = objectOf(
  { startedDateTime: isoTime, time: number, request: open, response: open, cache: open, timings: open },
  { comment: text },
);

export const HAR_SCHEMA = objectOf({
  log: objectOf({ version: text, creator: objectOf({ name: text, version: text }), entries: listOf(HAR_ENTRY) }),
});

export const REPLAY_BODY = objectOf(
  {},
  {
    args: described(open, 'instead of those that were recorded'),
    as: described(objectOf({}, { app: text, user: text }), 'instead of the recorded caller: ids or names'),
  },
);

export const REPLAYED_SCHEMA = objectOf({
  status: orNull(integer),
  answer: anything,
  request_id: orNull(text),
});
