import { lstatSync, lchownSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Numbers of a user and its group. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/** The usual uid of nobody, within the 65,536 that an unprivileged container has. */
const FALLBACK_USER: ServerUser = { uid: 54_329, gid: 54_329 };

/**
 * The user who runs the server when this process runs as root, which PostgreSQL refuses: the owner of the data
 * directory, as it may be a folder of the host, else an unused number. Null: this process's own user.
 */
export function serverUser(dataDir: string | null): ServerUser | null {
  if (process.getuid?.() !== 0) return null;
  const owner = dataDir === null ? undefined : statSync(dataDir, { throwIfNoEntry: false });
  return owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : FALLBACK_USER;
}

/** initdb needs a user with a name; the files are given to the other user afterwards. */
export function namedUser(): ServerUser | null {
  if (process.getuid?.() !== 0) return null;
  const found = readFileSync('/etc/passwd', 'utf8').match(/^nobody:[^:]*:(\d+):(\d+):/m);
  return found ? { uid: Number(found[1]), gid: Number(found[2]) } : FALLBACK_USER;
}

/** Changes the owner of a tree of files. */
export function giveTo(user: ServerUser, path: string): void {
  lchownSync(path, user.uid, user.gid);
  if (!lstatSync(path).isDirectory()) return;
  for (const name of readdirSync(path)) giveTo(user, join(path, name));
}

/** Whether a user can open files in a folder: it and all its parents must allow that. */
export function canReach(user: ServerUser, folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    const { uid, gid, mode } = statSync(at);
    const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return false;
    if (dirname(at) === at) return true;
  }
}
