import {
  between,
  described,
  integer,
  listOf,
  mapOf,
  MATCHER,
  number,
  objectOf,
  oneOf,
  orNull,
  text,
  type SchemaObject,
} from '../access/schemas.js';
import { CALLERS } from '../timeline/filters.js';
import { MAX_MS, TYPES } from './fault.js';

const ON = objectOf(
  { method: described(text, 'a method, `conversations.*`, a GraphQL root field, a control route, `*`') },
  { app: described(text, 'name or id'), caller: oneOf(...CALLERS), where: MATCHER },
);

const ms = between(0, MAX_MS);
const ACTION = objectOf(
  { type: oneOf(...TYPES) },
  {
    retry_after: between(0, 86_400),
    error: text,
    code: text,
    message: text,
    status: between(200, 599),
    body: text,
    headers: mapOf(text),
    ms,
    min_ms: ms,
    max_ms: ms,
    bytes_per_second: { type: 'integer', minimum: 1 },
    how: oneOf('drop', 'timeout', 'http'),
    set: described(mapOf(text), 'with `redirect`: parameters of the redirect, by name'),
    remove: described(listOf(text), 'with `redirect`: parameters that it loses'),
  },
);

const PROBABILITY: Record<string, SchemaObject> = {
  probability: { ...number, minimum: 0, maximum: 1 },
  random_seed: integer,
};

export const FAULT_BODY = objectOf(
  { on: ON, fault: ACTION },
  {
    times: orNull({ type: 'integer', minimum: 1, default: 1 }),
    skip: { type: 'integer', minimum: 0, default: 0 },
    ...PROBABILITY,
  },
);

export const FAULT_SCHEMA = objectOf(
  {
    id: text,
    on: ON,
    fault: ACTION,
    times: orNull(integer),
    skip: integer,
    seen: integer,
    fired: integer,
    created: integer,
  },
  PROBABILITY,
);
