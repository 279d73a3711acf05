import { RestError } from '../../kernel/http/http-error.js';
import { isAdmin, type Identity } from '../model/identity.js';

const isPersonAdmin = (caller: Identity): boolean => caller.kind !== 'bot' && isAdmin(caller);

/** Whoever made it, its app where it has one, and admins. @throws RestError 403 not_admin */
export function demandOwner(caller: Identity, owner: { creatorId?: string; appId?: string | null }): void {
  if (owner.creatorId !== undefined && owner.creatorId === caller.userId) return;
  if (owner.appId !== undefined && owner.appId !== null && owner.appId === caller.app?.id) return;
  if (!isPersonAdmin(caller)) throw new RestError(403, 'not_admin');
}
