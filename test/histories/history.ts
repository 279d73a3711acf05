/**
 * What a run recorded: the calls of all clients with their beginning, end and outcome, and what apps and sockets were
 * told. Times are milliseconds of one monotonic clock.
 */
export interface History {
  readonly calls: readonly Call[];
  readonly sockets: readonly SocketLog[];
  readonly deliveries: readonly Delivery[];
  /** When replicas ended: what one had not stored is gone then. */
  readonly kills?: readonly number[];
  /** From when until when replicas stood still: what they had leased may have gone to others. */
  readonly stalls?: readonly { readonly from: number; readonly to: number }[];
  /** From when until when replicas could store nothing: who is killed before it did loses all since then. */
  readonly outages?: readonly { readonly from: number; readonly to: number }[];
  /** When PostgreSQL crashed: allowances begin afresh then. */
  readonly crashes?: readonly number[];
  /** Since when nothing was under way and every replica could be reached; undefined: the run was cut short. */
  readonly quietAt?: number;
}

/**
 * `ok`: it was acknowledged. `refused`: the server said that nothing happened. `unknown`: no answer, or one that says
 * that it may have happened (docs/ERRORS.md).
 */
export type Outcome = 'ok' | 'refused' | 'unknown';

interface Base {
  readonly id: number;
  readonly client: string;
  readonly tenant: string;
  readonly start: number;
  readonly end: number;
  readonly outcome: Outcome;
  readonly error?: string;
}

/** A message as a read shows it. */
export interface SeenMessage {
  readonly ts: string;
  readonly text: string;
  readonly thread?: string;
  readonly replyCount?: number;
  readonly latestReply?: string;
  readonly reactions?: readonly { readonly name: string; readonly users: readonly string[]; readonly count: number }[];
}

/** As a copy shows it: people have other ids there. */
export function withoutReactions(message: SeenMessage): SeenMessage {
  const { reactions, ...others } = message;
  return reactions ? others : message;
}

export interface SeenIssue {
  readonly id: string;
  readonly number: number;
  readonly title: string;
}

/** A message of an agent as a read shows it: the words of its appends, one after the other. */
export interface SeenStream {
  readonly ts: string;
  readonly words: readonly string[];
}

/** A file as a list shows it, and whether its bytes were those that were sent; undefined: they were not asked for. */
export interface SeenFile {
  readonly title: string;
  readonly isWhole?: boolean;
}

/** A post on the timeline: its call, its event, or an attempt to deliver that. */
export interface SeenEntry {
  readonly kind: 'call' | 'event' | 'delivery';
  readonly channel: string;
  readonly ts: string;
  readonly text: string;
  /** Of calls and deliveries. */
  readonly isOk?: boolean;
}

/** Texts and titles are unique in a history, so that what is read tells who wrote it. */
export type Operation =
  | { op: 'post'; channel: string; text: string; thread?: string; token: string; answer?: { ts: string } }
  | { op: 'edit'; channel: string; ts: string; text: string; token: string }
  | { op: 'delete'; channel: string; ts: string; token: string }
  | { op: 'react'; channel: string; ts: string; name: string; user: string; isSet: boolean; token: string }
  | {
      op: 'history';
      channel: string;
      token: string;
      /** It is read in a copy of the sandbox, made for that: people have other ids there, so no reactions are read. */
      isCopy?: true;
      /** Only so many of the newest are asked for; undefined: the whole channel. */
      newest?: number;
      /** `oldest`: there are older ones than this, which were not asked for. */
      answer?: { pages: readonly (readonly SeenMessage[])[]; oldest?: string };
    }
  | { op: 'replies'; channel: string; ts: string; token: string; answer?: { messages: readonly SeenMessage[] } }
  | { op: 'search'; token: string; answer?: { texts: readonly string[] } }
  | { op: 'member'; channel: string; user: string; isSet: boolean; token: string }
  | { op: 'peek'; channel: string; user: string; token: string }
  | { op: 'revoke'; token: string }
  | { op: 'auth'; token: string }
  | { op: 'issueCreate'; title: string; team: string; answer?: { issue: SeenIssue; syncId: number } }
  | { op: 'issueUpdate'; issue: string; title: string; answer?: { syncId: number } }
  /** Those whose number is at least `from`. */
  | { op: 'issues'; from?: number; answer?: { pages: readonly (readonly SeenIssue[])[] } }
  | { op: 'snapshot'; name: string }
  /** To the snapshot of this name; without one, to how the sandbox was made. */
  | { op: 'reset'; to?: string }
  | { op: 'upload'; channel: string; title: string; token: string }
  | { op: 'files'; token: string; answer?: { files: readonly SeenFile[] } }
  | { op: 'streamStart'; channel: string; thread: string; text: string; token: string; answer?: { ts: string } }
  | { op: 'streamAppend'; channel: string; ts: string; text: string; token: string }
  | { op: 'streamStop'; channel: string; ts: string; text: string; token: string }
  | { op: 'streams'; channel: string; thread: string; token: string; answer?: { streams: readonly SeenStream[] } }
  /** `isWhole`: all that is kept, after everything was quiet; otherwise the newest. Newest first. */
  | { op: 'timeline'; isWhole?: true; answer?: { entries: readonly SeenEntry[]; cursor?: string } }
  /** For a message with this text, behind the cursor, which was given at `since`. */
  | {
      op: 'wait';
      text: string;
      after: string;
      since: number;
      timeoutMs: number;
      answer?: { isMatched: boolean; text?: string };
    }
  | { op: 'limited'; method: string; limit: number; windowMs: number; token: string };

export type Call = Base & Operation;
export type CallOf<O extends Operation['op']> = Extract<Call, { op: O }>;

/** A socket of the realtime API, in the tenant's public channels. */
export interface SocketLog {
  readonly id: string;
  readonly tenant: string;
  /** When it was connected. */
  readonly openedAt: number;
  /** When it was closed, by whomever. */
  readonly closedAt: number;
  readonly heard: readonly {
    readonly channel: string;
    readonly ts: string;
    readonly text: string;
    readonly at: number;
  }[];
}

/** An event that an app's URL or one of its sockets took. */
export interface Delivery {
  readonly tenant: string;
  readonly target: string;
  readonly eventId: string;
  readonly channel: string;
  readonly ts: string;
  readonly text: string;
  readonly at: number;
  /** When it was answered with 2xx, or acknowledged; undefined: with something else, or not at all. */
  readonly acceptedAt?: number;
}

/** A promise that the history breaks. */
export interface Violation {
  readonly kind: string;
  readonly what: string;
  /** The calls that show it. */
  readonly calls: readonly Call[];
}

export function callsOf<O extends Operation['op']>(calls: readonly Call[], ...ops: O[]): CallOf<O>[] {
  return calls.filter((call): call is CallOf<O> => (ops as string[]).includes(call.op));
}

/** Until when it may have taken effect: what nobody answered may do so later. */
export const latest = ({ outcome, end }: Call): number => (outcome === 'unknown' ? Infinity : end);

/** Whether it can have had an effect. */
export const mayHaveHappened = ({ outcome }: Call): boolean => outcome !== 'refused';

/** Whether a reset may have taken effect between the two times. */
export function mayBeReset(resets: readonly CallOf<'reset'>[], from: number, to: number): boolean {
  return lastReset(resets, to) >= from;
}

/** Until when a reset that had begun by then may have taken effect; -Infinity: there was none. */
export function lastReset(resets: readonly CallOf<'reset'>[], by: number): number {
  let last = -Infinity;
  for (const reset of resets) if (mayHaveHappened(reset) && reset.start <= by) last = Math.max(last, latest(reset));
  return last;
}
