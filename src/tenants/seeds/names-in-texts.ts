import { CHANNEL_IN_TEXT, GROUP_IN_TEXT, PERSON_IN_TEXT, type KnownObjects } from './known-objects.js';

/** Replaces `<@name>`, `<#name>` and `<!subteam^handle>` by ids; unknown names are kept as written. */
export function withIds(text: string, known: KnownObjects): string {
  if (!text.includes('<')) return text;
  return text
    .replace(PERSON_IN_TEXT, (whole, name: string) => {
      const id = known.userId(name);
      return id === undefined ? whole : `<@${id}>`;
    })
    .replace(CHANNEL_IN_TEXT, (whole, name: string) => {
      const channel = known.channels.get(name);
      return channel === undefined ? whole : `<#${channel.id}|${name}>`;
    })
    .replace(GROUP_IN_TEXT, (whole, handle: string) => {
      const id = known.usergroups.get(handle);
      return id === undefined ? whole : `<!subteam^${id}>`;
    });
}

/**
 * The same in all texts of blocks or attachments. Where the format requires a bare id (`user_id`), `<@name>` becomes
 * that.
 */
export function withIdsDeep<T>(value: T, known: KnownObjects, key?: string): T {
  if (typeof value === 'string') {
    const isBareId = key === 'user_id' || key === 'channel_id' || key === 'usergroup_id';
    const text = withIds(value, known);
    return (isBareId ? text.replace(/^<(?:[@#]|!subteam\^)([A-Z0-9]+)(?:\|[^>]*)?>$/, '$1') : text) as T;
  }
  if (Array.isArray(value)) return value.map((one) => withIdsDeep(one as unknown, known)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => [name, withIdsDeep(child as unknown, known, name)]),
  ) as T;
}
