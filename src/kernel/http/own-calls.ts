import type { IncomingMessage } from 'node:http';
import { newHex, newRequestId } from '../ids/ids.js';
import { isSameSecret } from '../ids/same-secret.js';

/** Who makes calls of this process: recorded ones once more, and what the scripts of sandboxes do. */
const OWN_CLIENTS = ['replay', 'script'] as const;
export type OwnClient = (typeof OWN_CLIENTS)[number];

/** The claim `client` of an access token, which only this server issues. */
export const ownClientOf = (claim: unknown): OwnClient | undefined => OWN_CLIENTS.find((client) => client === claim);

const HEADER = 'x-understudy-own-call';
/** Nobody else can choose the id of a request. */
const SECRET = newHex(32);

/** A header of a call that this process makes itself: its request has this id, by which all that it causes is known. */
export const ownCallHeader = (requestId: string): Record<string, string> => ({ [HEADER]: `${SECRET} ${requestId}` });

/** Whether this process makes the call: it names things as they are stored (docs/decisions/equal-forks.md). */
export function isOwnCall({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const sent = headers[HEADER];
  return typeof sent === 'string' && isSameSecret(sent.split(' ', 1)[0] ?? '', SECRET);
}

const CHECK = 'x-understudy-check';

/** A header of a call by which this process asks no more than whether a credential is good: it is none of its owner's. */
export const checkHeader = (): Record<string, string> => ({ [CHECK]: SECRET });

/** Whether this process makes the call to check a credential. */
export function isCheck({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const sent = headers[CHECK];
  return typeof sent === 'string' && isSameSecret(sent, SECRET);
}

/** The id of a request that arrives. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const sent = headers[HEADER];
  if (typeof sent !== 'string') return newRequestId();
  const [secret = '', requestId = ''] = sent.split(' ');
  return isSameSecret(secret, SECRET) ? requestId : newRequestId();
}
