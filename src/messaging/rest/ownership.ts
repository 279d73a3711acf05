import { RestError } from '../../kernel/http/http-error.js';
import { isAdmin, type Identity } from '../access/identity.js';

/** Admins and owners, themselves or by a user token of theirs. */
export const isPersonAdmin = (caller: Identity): boolean => caller.kind !== 'bot' && isAdmin(caller);

/** The owner of an object. */
export interface Owned {
  readonly creatorId?: string;
  readonly appId?: string | null;
}

/** Its creator, its app if it has one, and admins. */
export function isOwner(caller: Identity, owned: Owned): boolean {
  if (owned.creatorId !== undefined && owned.creatorId === caller.userId) return true;
  if (owned.appId !== undefined && owned.appId !== null && owned.appId === caller.app?.id) return true;
  return isPersonAdmin(caller);
}

/** @throws RestError 403 not_admin */
export function requireOwner(caller: Identity, owned: Owned): void {
  if (!isOwner(caller, owned)) throw new RestError(403, 'not_admin');
}
