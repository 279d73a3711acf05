import { integer, oneOf, optional, setting, text } from './setting.js';

const NAMED = /^([a-z0-9-]{1,40}):([^,\s]{20,255})$/;

/** Parses admin tokens by name (`name:token,…`). Error messages never contain a token. */
function adminTokens(value: string): ReadonlyMap<string, string> {
  const tokens = new Map<string, string>();
  for (const [i, entry] of value.split(',').entries()) {
    const [, name, token] = NAMED.exec(entry.trim()) ?? [];
    if (name === undefined || token === undefined) {
      throw new Error(
        `must be name:token,…: names of 1 to 40 of a-z, 0-9 and "-", tokens of 20 to 255 characters without comma and blank; entry ${i + 1} is not`,
      );
    }
    if (tokens.has(name)) throw new Error(`must name each token differently; entry ${i + 1} repeats a name`);
    if ([...tokens.values()].includes(token))
      throw new Error(`must have tokens that differ; entry ${i + 1} repeats one`);
    tokens.set(name, token);
  }
  return tokens;
}

const ttl = (value: string): number => {
  const seconds = integer(0, 2_592_000)(value);
  if (seconds !== 0 && seconds < 60) throw new Error('must be 0, or 60 to 2592000');
  return seconds;
};

/** Settings of sandboxes. */
export const SANDBOX_SETTINGS = {
  adminTokens: optional(
    'SVC_ADMIN_TOKENS',
    'more admin tokens, `name:token,…`; a named one sees only the sandboxes that it made',
    adminTokens,
    true,
  ),
  seedFile: optional('SVC_SEED_FILE', 'document (YAML or JSON) that fills the default workspace at first start', text),
  sandboxTtlSeconds: setting(
    'SVC_SANDBOX_TTL_SECONDS',
    '86400',
    'how long a sandbox lives that does not say so itself; 0: for ever',
    ttl,
  ),
  sandboxLimit: setting(
    'SVC_SANDBOX_LIMIT',
    '10000',
    'sandboxes that may be there before no more are made; 0: any number',
    integer(0, 1e9),
  ),
  snapshotMaxRows: setting(
    'SVC_SNAPSHOT_MAX_ROWS',
    '200000',
    'rows that a sandbox may have to be kept as a snapshot',
    integer(1, 1e9),
  ),
  journal: setting(
    'SVC_JOURNAL',
    'auto',
    'which sandboxes keep a journal of calls: `auto` (those made as sandboxes, and an embedded default one), `all`, `off`',
    oneOf('auto', 'all', 'off'),
  ),
  timelineMaxEntries: setting(
    'SVC_TIMELINE_MAX_ENTRIES',
    '10000',
    'entries that the timeline of a sandbox keeps, the newest',
    integer(10, 1e7),
  ),
  timelineMaxBytes: setting(
    'SVC_TIMELINE_MAX_BYTES',
    '33554432',
    'bytes that the timeline of a sandbox keeps, the newest',
    integer(65_536, 1e11),
  ),
};
