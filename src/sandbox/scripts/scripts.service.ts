import { BadRequestException, Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { PEOPLE_NAMES } from '../../tenants/both-products.queries.js';
import { readScript, unknownInScript } from '../../tenants/scripts/read-script.js';
import { addScript } from '../../tenants/scripts/script-store.js';
import { ISSUE_REFS } from '../../tenants/scripts/script-store.queries.js';
import { SeedReader } from '../../tenants/seeds/seed-reader.js';
import type { SandboxCall } from '../access/sandbox-access.js';
import { Sandboxes } from '../sandboxes/sandboxes.service.js';
import { REMOVE_ENTRIES, SCRIPT, type ShownRow } from './scripts.queries.js';
import { ScriptLoop } from './script-loop.js';

/** The most faults in one answer. */
const MAX_FAULTS = 50;

/** The script of a sandbox as tests see it (docs/reference/sandboxes.md#colleagues). */
@Injectable()
export class Scripts {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly sandboxes: Sandboxes,
    private readonly loop: ScriptLoop,
  ) {}

  /** What happens in a sandbox is compared with its script from now on, not only within a second. */
  follow(tenantId: number): void {
    this.loop.follow(tenantId);
  }

  async list(tenantId: number): Promise<{ script: object[] }> {
    const rows = await this.db.read<ShownRow>(SCRIPT, [tenantId, this.clock.wallOffsetMicros, null]);
    return { script: rows.map(shown) };
  }

  /** @throws BadRequestException with all faults; RestError 403 as of act-as, 409 name_taken, too_many_script_entries */
  async add(call: SandboxCall, sent: unknown): Promise<{ script: object[]; warnings?: string[] }> {
    const { tenantId } = call.sandbox;
    const read = new SeedReader(this.clock.within(call.flags.time, () => this.clock.nowMicros()));
    if (!Array.isArray(sent)) throw new BadRequestException(['script: must be a list']);
    const script = readScript(sent, read);
    const [people, refs] = await Promise.all([
      this.db.read<{ name: string }>(PEOPLE_NAMES, [tenantId]),
      this.db.read<{ ref: string }>(ISSUE_REFS, [tenantId]),
    ]);
    const names = { people: ['admin', ...people.map(({ name }) => name)], refs: refs.map(({ ref }) => ref) };
    const faults = [...read.faults, ...unknownInScript(script, names)];
    if (faults.length > 0) throw new BadRequestException(faults.slice(0, MAX_FAULTS));
    await this.requireMayActAs(call, script);
    await this.db.writeAlone(tenantId, (tx) => addScript(tx, tenantId, script, this.clock.wallMs()));
    this.loop.follow(tenantId);
    return { ...(await this.list(tenantId)), ...(read.warnings.length > 0 && { warnings: read.warnings }) };
  }

  /** Nobody has done in a script what they may not do as themselves. @throws RestError as of act-as */
  async requireMayActAs(
    call: SandboxCall,
    script: readonly { readonly entry: Readonly<Record<string, unknown>> }[],
  ): Promise<void> {
    const { person } = call.caller;
    if (!person || script.length === 0) return;
    if (person.kind === 'user') throw new RestError(403, 'not_allowed_token_type');
    for (const as of new Set(script.map(({ entry }) => entry['as']))) {
      if (typeof as === 'string') await this.sandboxes.personFor(call, as);
    }
  }

  /** @throws RestError 404 script_entry_not_found */
  async remove(tenantId: number, name: string | null): Promise<void> {
    const gone = await this.db.run(REMOVE_ENTRIES, [tenantId, name]);
    if (name !== null && gone.length === 0) throw new RestError(404, 'script_entry_not_found');
  }
}

function shown({ name, entry, fired, error, nextAt, isDue }: ShownRow): object {
  return {
    name,
    state: stateOf(entry, { fired, error, isPending: nextAt !== null, isDue: isDue === true }),
    fired,
    next_at: nextAt === null ? null : new Date(nextAt / 1000).toISOString(),
    error,
    entry,
  };
}

function stateOf(
  { when, times = 1 }: ShownRow['entry'],
  { fired, error, isPending, isDue }: { fired: number; error: string | null; isPending: boolean; isDue: boolean },
): 'waiting' | 'due' | 'done' | 'failed' {
  const waitsForSomething = when !== undefined && when !== null;
  if (isPending) return waitsForSomething || isDue ? 'due' : 'waiting';
  if (error !== null) return 'failed';
  return waitsForSomething && (times === null || fired < Number(times)) ? 'waiting' : 'done';
}
