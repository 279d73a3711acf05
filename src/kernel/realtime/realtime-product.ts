import type { RecordedEvent } from '../events/recorded-event.js';

/** What a client sends when it connects: `io(base, { auth })`. */
export interface Handshake {
  /** `auth.token`, without a `Bearer ` before it; never empty. */
  readonly token: string;
  /** Everything in `auth`, unchecked. */
  readonly auth: Readonly<Record<string, unknown>>;
}

/** Somebody who listens on one socket. A product adds what it needs to decide which events to send there. */
export interface RealtimeSession {
  readonly tenantId: number;
}

/**
 * A product's answer to a handshake. `refused`: the socket is refused with this code, whatever other products say.
 * `nothingHere`: the credential names nothing of this product; the code counts when it names nothing of any.
 */
export type Admission<S extends RealtimeSession> = { session: S } | { refused: string } | { nothingHere: string };

/** One argument for some sessions, under the name that clients listen for. */
export interface Emission<S extends RealtimeSession> {
  readonly name: string;
  readonly argument: object;
  readonly to: readonly S[];
}

/** What is so at the moment when a batch of events is emitted. */
export interface Hearing<S extends RealtimeSession> {
  /** Whether the credential of this session still opens anything; if not, its socket is disconnected. */
  isLive(session: S): boolean;
  /** Who hears an event. Called for the events of the batch in their order, with the live sessions of its tenant. */
  emissionsOf(event: RecordedEvent, sessions: readonly S[]): readonly Emission<S>[];
}

/**
 * A product's part of the realtime channel. It says who may connect and who hears what; sockets, order and replicas are
 * the kernel's matter.
 */
export interface RealtimeProduct<S extends RealtimeSession = RealtimeSession> {
  /** Whose events of the log it judges. */
  readonly product: string;
  /** By the form alone: whether a credential may be one of this product. */
  recognises(token: string): boolean;
  authenticate(handshake: Handshake): Promise<Admission<S>>;
  /**
   * Judges sessions anew, by what the store says now. With events, also what is needed to say who hears them.
   * A session that is no longer live stays so.
   */
  judge(sessions: readonly S[], events: readonly RecordedEvent[]): Promise<Hearing<S>>;
}
