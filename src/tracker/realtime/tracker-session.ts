import type { RealtimeSession } from '../../kernel/realtime/realtime-product.js';

/** The credential of a socket: a key, or a session of an account. */
export type TrackerCredential =
  { readonly keyHash: string; readonly sid: null } | { readonly keyHash: null; readonly sid: string };

/** A credential of the tracker that listens on a socket. */
export interface TrackerSession extends RealtimeSession {
  readonly organizationId: string;
  readonly userId: string;
  readonly credential: TrackerCredential;
}
