import { Fault } from '../rpc/args/coerce.js';
import { SESSION_STATUSES, type SessionStatus } from './agent-session.entity.js';

/** Reads a status of a session. */
export function readSessionStatus(status: string): SessionStatus | Fault {
  const known = SESSION_STATUSES.find((one) => one === status);
  return known ?? new Fault(`must be one of ${SESSION_STATUSES.join(', ')}`, 'invalid_status');
}

export type { SessionStatus };
