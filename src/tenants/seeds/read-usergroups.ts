import { withoutAt } from '../../kernel/text/names.js';
import { handleFault, handleOf, MAX_GROUP_DESCRIPTION, MAX_GROUPS } from '../../messaging/wire/usergroup-wire.js';
import type { SeedReader } from './seed-reader.js';
import type { SeedUsergroup } from './seed-types.js';

/** User groups of a document: names and handles are each there once. */
export function readUsergroups(value: unknown, read: SeedReader): SeedUsergroup[] {
  const taken = { name: new Set<string>(), handle: new Set<string>() };
  const list = read.list(value, 'usergroups');
  if (list.length > MAX_GROUPS) read.fault('usergroups', `must hold at most ${MAX_GROUPS}`);
  return list.slice(0, MAX_GROUPS).map((one, i) => {
    const path = `usergroups[${i}]`;
    const group = read.object(one, path, 'name handle description users channels ref');
    const name = read.name(group['name'], `${path}.name`).trim();
    const said = read.text(group['handle'], `${path}.handle`, 22);
    const handle = said === undefined ? handleOf(name) : withoutAt(said);
    if (handleFault(handle)) {
      read.fault(`${path}.handle`, 'must be 1 to 21 of a-z, 0-9, ".", "_" and "-", and no reserved word');
    }
    for (const [field, text] of Object.entries({ name, handle }) as ['name' | 'handle', string][]) {
      if (taken[field].has(text)) read.fault(`${path}.${field}`, `"${text}" is there twice`);
      taken[field].add(text);
    }
    return {
      name,
      handle,
      description: read.text(group['description'], `${path}.description`, MAX_GROUP_DESCRIPTION),
      users: read.texts(group['users'], `${path}.users`),
      channels: read.texts(group['channels'], `${path}.channels`).map((channel) => channel.replace(/^#/, '')),
      ref: read.ref(group['ref'], `${path}.ref`),
      path,
    };
  });
}
