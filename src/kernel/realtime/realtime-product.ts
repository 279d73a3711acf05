import type { IdSpace } from '../ids/id-space.js';
import type { RecordedEvent } from '../events/recorded-event.js';

/** The data a client sends when it connects: `io(base, { auth })`. */
export interface Handshake {
  /** `auth.token`, without a `Bearer ` before it; never empty. */
  readonly token: string;
  /** Everything in `auth`, unchecked. */
  readonly auth: Readonly<Record<string, unknown>>;
}

/** A listener on one socket. A product adds what it needs to decide which events to send there. */
export interface RealtimeSession {
  readonly tenantId: number;
  /** Those in which its client is spoken to; null: the server's. */
  readonly ids: IdSpace | null;
}

/**
 * A product's answer to a handshake. `refused`: the socket is refused with this code, whatever other products say.
 * `nothingHere`: the credential is unknown to this product; the code applies if it is unknown to all.
 */
export type Admission<S extends RealtimeSession> = { session: S } | { refused: string } | { nothingHere: string };

/** The payload for some sessions, under the name that clients listen for. */
export interface Emission<S extends RealtimeSession> {
  readonly name: string;
  readonly argument: object;
  readonly to: readonly S[];
}

/** Decisions for one batch of events. */
export interface Hearing<S extends RealtimeSession> {
  /** Whether the credential of this session is still valid; if not, its socket is disconnected. */
  isLive(session: S): boolean;
  /** Who receives an event. Called for the events of the batch in their order, with the live sessions of its tenant. */
  emissionsOf(event: RecordedEvent, sessions: readonly S[]): readonly Emission<S>[];
}

/**
 * A product's part of the realtime channel: who may connect and who receives what. The kernel handles sockets, order
 * and replicas.
 */
export interface RealtimeProduct<S extends RealtimeSession = RealtimeSession> {
  /** The product whose events it handles. */
  readonly product: string;
  /** Whether a credential may be one of this product, by its format alone. */
  recognises(token: string): boolean;
  authenticate(handshake: Handshake): Promise<Admission<S>>;
  /**
   * Checks sessions against the store. With events, also loads what is needed to decide who receives them. A session
   * that is no longer live stays so.
   */
  judge(sessions: readonly S[], events: readonly RecordedEvent[]): Promise<Hearing<S>>;
}
