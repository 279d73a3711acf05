import type { FastifyRequest } from 'fastify';
import type { Allowance } from '../../kernel/limits/throttler-storage.js';
import type { Caller } from '../access/conversation-access.js';
import type { RawArgs } from './args/args.js';

/** How often a method may be called (docs/reference/chat.md#rate-tiers). */
export type Tier = 2 | 3 | 4 | 'special' | 'search';

/** What the guards found out about a call; lives on the request. */
export interface RpcCall {
  readonly args: RawArgs;
  /** The body could not be read: answered at step 6 of docs/reference/chat.md#order-of-checks. */
  readonly bodyError?: string | undefined;
  /** A token that a method for clients is about. */
  readonly sentToken?: string | undefined;
  /** Absent only where the method needs no credential and none that is good was sent. */
  readonly caller?: Caller | undefined;
  /** Where the caller was proven and the allowance taken in one statement. */
  readonly allowance?: Allowance | undefined;
}

export type RpcRequest = FastifyRequest & { rpc?: RpcCall };
