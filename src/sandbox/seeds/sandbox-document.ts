import type { SandboxTime } from '../../kernel/clock/request-sandbox.js';
import type { SandboxOptions } from '../../tenants/seeds/new-sandbox.js';
import type { TenantOptions } from '../../tenants/seeds/seeded-tenants.js';
import { momentOf } from '../clock/moments.js';
import { readFields, sentence } from '../access/sandbox-body.js';
import { CHANGE_FIELDS, changesOf } from '../sandboxes/sandbox-changes.js';
import { SandboxChangesBody } from '../sandboxes/sandboxes.dto.js';
import { ClockFields, SandboxFields, TeamFields } from './sandbox-document.dto.js';

type Document = Record<string, unknown>;

const OWN_FIELDS = ['team', 'clock', 'id_space', 'deterministic', 'random_seed'];

/** Parts of a document can be large: only these fields are read. */
const picked = (document: Document, fields: readonly string[]): Document =>
  Object.fromEntries(fields.flatMap((field) => (document[field] === undefined ? [] : [[field, document[field]]])));

/** The sandbox's own settings in a document. `ttlSeconds` is absent if it has none. */
export interface SandboxDocument {
  readonly set: Omit<SandboxOptions, 'owner' | 'time' | 'ttlSeconds' | 'tickMs'> & {
    readonly ttlSeconds?: number | null;
  };
  readonly team: TenantOptions['team'];
  readonly time: SandboxTime | null;
  readonly tickMs: number;
  readonly faults: string[];
}

/**
 * Parses the sandbox's own settings.
 * @param wallMicros real time
 */
export function readSandboxDocument(document: Document, wallMicros: number): SandboxDocument {
  const set = readFields(SandboxChangesBody, picked(document, CHANGE_FIELDS));
  const own = readFields(SandboxFields, picked(document, OWN_FIELDS));
  // parts with faults count as absent: the rest of the document is read, too, for its own
  const changes = changesOf(set.faults.length > 0 ? new SandboxChangesBody() : set.fields);
  const fields = own.faults.length > 0 ? new SandboxFields() : own.fields;
  const { team, clock, id_space: idSpace, deterministic, random_seed: randomSeed } = fields;
  const hasOwnIds = idSpace === 'own';
  const faults = [...set.faults, ...own.faults].map((fault) => sentence(fault, ': '));
  if (hasOwnIds && team?.joinable) faults.push('team.joinable: nobody joins a sandbox with ids of its own');
  // what is copied has a clock and a seed already, and a claim takes neither
  const isNew = document['from'] === undefined && document['pool'] === undefined;
  if (deterministic && !hasOwnIds) faults.push('deterministic: needs id_space: own');
  if (deterministic && isNew && clock?.frozen !== true) faults.push('deterministic: needs a frozen clock');
  if (isNew && clock && clock.tick_ms > 0 && !clock.frozen) faults.push('clock.tick_ms: needs a frozen clock');
  const { ttlSeconds } = changes;
  return {
    set: {
      name: changes.name ?? null,
      labels: changes.labels ?? {},
      ...(ttlSeconds === undefined ? {} : { ttlSeconds }),
      journal: changes.journal ?? null,
      methods: changes.methods ?? null,
      rateLimitMultiplier: changes.rateLimitMultiplier ?? null,
      missingScopeStatus: changes.missingScopeStatus ?? null,
      urls: changes.urls ?? null,
      hasOwnIds,
      isDeterministic: deterministic,
      randomSeed,
    },
    team: teamOf(team ?? new TeamFields(), changes.name),
    time: timeOf(clock ?? null, wallMicros),
    tickMs: clock?.tick_ms ?? 0,
    faults,
  };
}

/** Fields that a copy of a snapshot does not accept. */
export function faultsOfCopy(document: Document): string[] {
  const { from } = document;
  return [
    ...(typeof from === 'string' && from.length > 0 ? [] : ['from: must be the id of a snapshot']),
    ...faultsOfOthers(document, ['from', 'id_space', 'deterministic', ...CHANGE_FIELDS], 'a copy of a snapshot'),
  ];
}

/** Fields that a claim of a pool does not accept. */
export function faultsOfClaim(document: Document): string[] {
  const { pool } = document;
  return [
    ...(typeof pool === 'string' && pool.length > 0 ? [] : ['pool: must be the id or the name of a pool']),
    ...faultsOfOthers(document, ['pool', 'name', 'labels', 'ttl_seconds'], 'a claim of a pool'),
  ];
}

const faultsOfOthers = (document: Document, allowed: readonly string[], what: string): string[] =>
  Object.keys(document)
    .filter((field) => !allowed.includes(field))
    .map((field) => `${field}: ${what} takes no such field`);

const teamOf = ({ id, name, domain, joinable }: TeamFields, named: string | undefined): TenantOptions['team'] => ({
  name: name ?? named ?? 'Sandbox',
  id,
  domain,
  joinable: joinable ?? false,
});

function timeOf(clock: ClockFields | null, wallMicros: number): SandboxTime | null {
  if (clock === null || (clock.now === undefined && !clock.frozen)) return null;
  const moment = clock.now === undefined ? wallMicros : (momentOf(clock.now) ?? wallMicros);
  return clock.frozen ? { offsetMicros: 0, frozenAt: moment } : { offsetMicros: moment - wallMicros, frozenAt: null };
}
