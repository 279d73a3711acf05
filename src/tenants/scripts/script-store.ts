import type { Tx } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { MAX_ENTRIES, type SeedScriptEntry } from './read-script.js';
import { ADD_ENTRIES, ADD_TIMED, SCRIPT_NAMES } from './script-store.queries.js';
import { filledIn } from './templates.js';

/**
 * Adds entries to the script of a sandbox; those that are due at a time are on their way from now on.
 * @param wallMs real time: what happened before sets nothing off
 * @throws RestError 409 name_taken with the path, too_many_script_entries
 */
export async function addScript(
  tx: Tx,
  tenantId: number,
  script: readonly SeedScriptEntry[],
  wallMs: number,
): Promise<void> {
  if (script.length === 0) return;
  const there = await tx.query<{ name: string }>(SCRIPT_NAMES, [tenantId]);
  if (there.length + script.length > MAX_ENTRIES) throw new RestError(409, 'too_many_script_entries');
  const taken = new Set(there.map(({ name }) => name));
  for (const { name, path } of script) {
    if (name !== undefined && taken.has(name)) throw new RestError(409, 'name_taken', undefined, `${path}.name`);
  }
  for (const { name } of script) if (name !== undefined) taken.add(name);
  const rows = script.map(({ name = freeName(taken), entry, fired, skip, error, dueAt, act, fields }, i) => ({
    name,
    place: there.length + i,
    entry: { ...entry, name },
    seen: fired === 0 ? 0 : skip + fired,
    fired,
    error: error ?? null,
    due: dueAt,
    act,
    fields: filledIn(fields, {}),
  }));
  await tx.query(ADD_ENTRIES, [tenantId, JSON.stringify(rows), wallMs]);
  const timed = rows.filter(({ due, fired }) => due !== undefined && fired === 0);
  if (timed.length > 0) await tx.query(ADD_TIMED, [tenantId, JSON.stringify(timed)]);
}

function freeName(taken: Set<string>): string {
  for (let number = 1; ; number++) {
    const name = `entry-${number}`;
    if (taken.has(name)) continue;
    taken.add(name);
    return name;
  }
}
