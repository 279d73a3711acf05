import type { IdSpace } from '../kernel/ids/id-space.js';

/**
 * A redirect URL as it was sent, and as it may be registered: a browser comes with the ids of callers, an installation by
 * the control plane with those that are stored.
 */
export const asRegistered = (uri: string, ids: IdSpace | null | undefined): readonly string[] =>
  ids ? [uri, ids.inside(uri)] : [uri];
