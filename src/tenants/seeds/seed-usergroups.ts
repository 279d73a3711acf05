import type { Tx } from '../../kernel/database/db.js';
import { insertMany } from '../../kernel/database/insert-many.queries.js';
import { RestError } from '../../kernel/http/http-error.js';
import { newId } from '../../kernel/ids/ids.js';
import { PRIVATE_CHANNELS } from '../../messaging/provisioning/seeds.queries.js';
import { Usergroup } from '../../messaging/store/usergroup.entity.js';
import { MAX_GROUPS } from '../../messaging/wire/usergroup-wire.js';
import type { KnownObjects, SeedContext } from './known-objects.js';
import type { Seed } from './seed-types.js';

/**
 * Stores the user groups of a document and returns the objects that refs name.
 * @param at seconds
 * @throws RestError 409 name_taken, too_many_usergroups, with the path
 */
export async function addUsergroups(
  tx: Tx,
  { workspaceId, adminId }: SeedContext,
  { usergroups }: Seed,
  known: KnownObjects,
  at: number,
): Promise<Record<string, object>> {
  if (usergroups.length === 0) return {};
  if (known.usergroups.size + usergroups.length > MAX_GROUPS) {
    throw new RestError(409, 'too_many_usergroups', undefined, 'usergroups');
  }
  const named = usergroups.flatMap(({ channels }) => channels.flatMap((name) => known.channels.get(name)?.id ?? []));
  const rows = named.length === 0 ? [] : await tx.query<{ id: string }>(PRIVATE_CHANNELS, [named]);
  const isPrivate = new Set(rows.map(({ id }) => id));
  const made = usergroups.map(({ name, handle, description = '', users, channels, path }) => {
    if (known.usergroups.has(handle)) throw new RestError(409, 'name_taken', undefined, `${path}.handle`);
    const ids = channels.flatMap((channel) => known.channels.get(channel)?.id ?? []);
    return {
      id: newId('S'),
      workspaceId,
      name,
      handle,
      description,
      userIds: [...new Set(users.flatMap((user) => known.member(user) ?? []))],
      channelIds: ids.filter((id) => !isPrivate.has(id)),
      groupIds: ids.filter((id) => isPrivate.has(id)),
      createdBy: adminId,
      updatedBy: adminId,
      deletedBy: null,
      createdAt: at,
      updatedAt: at,
      deletedAt: null,
    };
  });
  const inserted = await insertMany(tx, Usergroup, made);
  if (inserted < made.length) throw new RestError(409, 'name_taken', undefined, 'usergroups');
  for (const { id, handle } of made) known.usergroups.set(handle, id);
  return Object.fromEntries(
    usergroups.flatMap(({ ref }, i) => (ref === undefined ? [] : [[ref, { id: made[i]?.id }] as const])),
  );
}
