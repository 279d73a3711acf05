import type { FastifyRequest } from 'fastify';
import type { TakeResult } from '../../kernel/limits/limits.js';
import type { PendingTake } from '../../kernel/limits/pending-take.js';
import type { Allowance } from '../../kernel/limits/throttler-storage.js';
import type { Caller } from '../access/conversation-access.js';
import type { Identified, ProvenCaller } from '../access/identities.js';
import type { RawArgs } from './args/args.js';

/** How often a method may be called (docs/reference/chat.md#rate-tiers). */
export type Tier = 2 | 3 | 4 | 'special';

/** A call whose caller is remembered from an earlier one. */
export interface RememberedCall extends Identified {
  readonly allowance: Pick<Allowance, 'key' | 'policy'>;
  /** Proves who calls and takes, once. Undefined: they are not who they were. */
  standing(): Promise<ProvenCaller | undefined>;
  /** What was taken. @throws OutdatedCaller */
  taken(): Promise<TakeResult>;
  /** The take of a call that brings it along. @param refuse takes by itself what is promised, as the guard does */
  pending(refuse: (taken: Promise<TakeResult>) => Promise<void>): PendingTake;
}

/** What the guards found out about a call; lives on the request. */
export interface RpcCall {
  readonly args: RawArgs;
  /** The body could not be read: answered at step 6 of docs/reference/chat.md#order-of-checks. */
  readonly bodyError?: string | undefined;
  /** Absent only where the method needs no credential and none that is good was sent. */
  readonly caller?: Caller | undefined;
  /** Where the caller is remembered. */
  readonly remembered?: RememberedCall;
  /** The call began with a caller who had changed, and is checked once more. */
  readonly isAgain?: boolean;
  /** Where the call runs ahead of its allowance: rejected when there is none, and then so is the call. */
  taking?: Promise<void>;
  /** Where the call brings its take along with what it writes. */
  pending?: PendingTake;
}

export type RpcRequest = FastifyRequest & { rpc?: RpcCall };
