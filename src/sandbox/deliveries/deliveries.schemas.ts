import { ApiQuery } from '@nestjs/swagger';
import {
  between,
  described,
  flag,
  integer,
  isoTime,
  listOf,
  MATCHER,
  objectOf,
  oneOf,
  orNull,
  text,
  type SchemaObject,
} from '../access/schemas.js';
import { RESPONSE_SCHEMA, REQUEST_SCHEMA, SIGNATURE_SCHEMA, TARGET_KINDS } from '../timeline/timeline.schemas.js';
import { ACTIONS, ERRORS, MAX_MS } from './rule.js';

export const STATES = ['waiting', 'held', 'in_flight', 'retrying', 'done', 'failed'] as const;

const TARGET = objectOf({ id: text, kind: oneOf(...TARGET_KINDS), url: orNull(text) }, { app: text });

const ATTEMPT = objectOf(
  {
    at: isoTime,
    wall: isoTime,
    product: oneOf('chat', 'tracker'),
    delivery_id: text,
    target: TARGET,
    attempt: integer,
    event_id: orNull(text),
    event: text,
    ms: integer,
    next_retry_at: orNull(isoTime),
  },
  {
    request: REQUEST_SCHEMA,
    response: RESPONSE_SCHEMA,
    error: text,
    signature: SIGNATURE_SCHEMA,
    rule: text,
    trigger_id: text,
    app_id: text,
    cause: text,
    truncated: flag,
    length: integer,
  },
);

const DELIVERY = objectOf({
  id: text,
  event_id: orNull(text),
  event: orNull(text),
  wall: orNull(described(isoTime, 'real time of the event, or of the first attempt')),
  channel: orNull(described(text, 'id of the channel that it is about')),
  user: orNull(described(text, 'id of the person that it is about')),
  text: orNull(described(text, 'of the event or command, its first 200 characters')),
  target: objectOf(
    { id: text, kind: oneOf(...TARGET_KINDS), url: orNull(text) },
    { app_id: text, enabled: { type: 'boolean' } },
  ),
  state: oneOf(...STATES),
  attempts: listOf(ATTEMPT),
  next_retry_at: orNull(isoTime),
});

export const DELIVERIES_SCHEMA = objectOf({
  counts: objectOf(Object.fromEntries(STATES.map((state) => [state, integer]))),
  deliveries: listOf(DELIVERY),
  next_cursor: text,
});

const QUERY: Readonly<Record<string, SchemaObject>> = {
  state: described(text, `a comma list of ${STATES.join(', ')}`),
  target: described(text, 'id'),
  event: text,
  limit: { ...between(1, 1_000), default: 100 },
  cursor: text,
  order: { ...oneOf('asc', 'desc'), default: 'asc' },
};

export const describeQuery: MethodDecorator = (target, key, descriptor) => {
  for (const [name, schema] of Object.entries(QUERY)) {
    (ApiQuery({ name, required: false, schema }) as MethodDecorator)(target, key, descriptor);
  }
};

export const RELEASE_BODY = objectOf(
  {},
  {
    ids: listOf(text),
    target: described(text, 'id'),
    order: { ...oneOf('as_is', 'reversed', 'shuffled'), default: 'as_is' },
    random_seed: integer,
    count: { type: 'integer', minimum: 1 },
  },
);

export const FLUSH_BODY = objectOf({}, { timeout_ms: { ...between(0, 60_000), default: 5_000 } });
export const FLUSHED_SCHEMA = objectOf({ flushed: integer, done: flag });

const ON = objectOf(
  {},
  { target: described(text, 'id or URL'), kind: oneOf(...TARGET_KINDS), event: text, where: MATCHER },
);

const ACTION = objectOf(
  { type: oneOf(...ACTIONS) },
  {
    ms: between(0, MAX_MS),
    copies: between(2, 20),
    gap_ms: between(0, MAX_MS),
    window: between(2, 100),
    order: oneOf('reversed', 'shuffled'),
    seconds: { type: 'integer', minimum: 0 },
    status: between(200, 599),
    error: oneOf(...ERRORS),
  },
);

export const RULE_BODY = objectOf(
  { do: ACTION },
  { on: ON, times: orNull({ type: 'integer', minimum: 1 }), skip: { type: 'integer', minimum: 0, default: 0 } },
);

export const RULE_SCHEMA = objectOf({
  id: text,
  on: ON,
  do: ACTION,
  times: orNull(integer),
  skip: integer,
  seen: integer,
  fired: integer,
  created: integer,
});
