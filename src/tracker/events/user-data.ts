import type { User } from '../store/user.entity.js';
import { userUrl } from '../values/urls.js';

/** A user inside `data`. */
export function userData(
  web: string,
  urlKey: string,
  user: Pick<User, 'id' | 'name' | 'email' | 'displayName' | 'avatarUrl'> | undefined,
): object | undefined {
  if (!user) return undefined;
  const { id, name, email, displayName, avatarUrl } = user;
  return { id, name, email, url: userUrl(web, urlKey, displayName), ...(avatarUrl !== null && { avatarUrl }) };
}
