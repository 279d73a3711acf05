import { GraphQLError } from 'graphql';
import { isStoreUnavailable, waitAfter } from '../../kernel/database/unavailable.js';
import { RETRY_AFTER_SECONDS } from '../../kernel/http/error.filter.js';
import { timedOut, TrackerError, unavailable } from '../values/errors.js';

/** SQLSTATEs of a cancelled statement and of a lock timeout. */
const TIMEOUTS: readonly unknown[] = ['57014', '55P03'];

/** Executors wrap what resolvers throw, but never deeper than this. */
const MAX_LAYERS = 5;

/** The error and its causes, outermost first. */
function* layersOf(error: unknown): Generator<unknown> {
  let layer = error;
  for (let depth = 0; layer && depth < MAX_LAYERS; depth++) {
    yield layer;
    layer = (layer as GraphQLError).originalError;
  }
}

/** Refusals for errors that the store alone caused; any other error is returned as it is. */
export function withoutStoreErrors(error: unknown): unknown {
  const layers = [...layersOf(error)];
  if (isAway(layers)) return unavailable(waitOf(layers));
  return layers.some((layer) => TIMEOUTS.includes((layer as { code?: unknown }).code)) ? timedOutAt(error) : error;
}

/** The store is away or the server is closing. */
function isAway(layers: readonly unknown[]): boolean {
  const first = layers.find((layer) => layer instanceof TrackerError || isStoreUnavailable(layer));
  return first !== undefined && !(first instanceof TrackerError);
}

/** The refusal that applies to the caller's organization alone, else the one for all. */
function waitOf(layers: readonly unknown[]): number {
  for (const layer of layers) {
    const wait = waitAfter(layer);
    if (wait !== undefined) return wait;
  }
  return RETRY_AFTER_SECONDS;
}

function timedOutAt(error: unknown): unknown {
  const refusal = timedOut();
  if (!(error instanceof GraphQLError)) return refusal;
  const { nodes, path } = error;
  return new GraphQLError(refusal.message, { nodes, path, originalError: refusal });
}
