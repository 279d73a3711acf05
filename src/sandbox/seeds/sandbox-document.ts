import type { SandboxTime } from '../../kernel/clock/clock.js';
import type { SandboxOptions } from '../../tenants/seeds/new-sandbox.js';
import type { TenantOptions } from '../../tenants/seeds/seeded-tenants.js';
import { momentOf } from '../clock/moments.js';
import { CHANGE_FIELDS, readSandboxChanges } from '../sandboxes/sandbox-changes.js';

type Document = Record<string, unknown>;
type Fault = (path: string, what: string) => void;

const DOMAIN = /^[a-z0-9](-?[a-z0-9]){0,20}$/;
const TEAM_ID = /^T0[0-9A-Z]{9}$/;

/** What a document says about the sandbox itself. `ttlSeconds` is absent where it says nothing. */
export interface SandboxDocument {
  readonly set: Omit<SandboxOptions, 'owner' | 'time' | 'ttlSeconds'> & { readonly ttlSeconds?: number | null };
  readonly team: TenantOptions['team'];
  readonly time: SandboxTime | null;
  readonly faults: string[];
}

/** Reads what is a sandbox's own. @param wallMicros real time */
export function readSandboxDocument(document: Document, wallMicros: number): SandboxDocument {
  const faults: string[] = [];
  const fault: Fault = (path, what) => void faults.push(`${path}: ${what}`);
  const changes = readSandboxChanges(document, fault);
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
    },
    team: readTeam(document['team'], changes.name, fault),
    time: readClock(document['clock'], wallMicros, fault),
    faults,
  };
}

/** What a copy of a snapshot cannot take. */
export function faultsOfCopy(document: Document): string[] {
  const allowed = new Set<string>(['from', ...CHANGE_FIELDS]);
  const { from } = document;
  return [
    ...(typeof from === 'string' && from.length > 0 ? [] : ['from: must be the id of a snapshot']),
    ...Object.keys(document)
      .filter((field) => !allowed.has(field))
      .map((field) => `${field}: a copy of a snapshot takes no such field`),
  ];
}

function readTeam(sentTeam: unknown, name: string | undefined, fault: Fault): TenantOptions['team'] {
  const isObject = typeof sentTeam === 'object' && sentTeam !== null && !Array.isArray(sentTeam);
  if (sentTeam !== undefined && !isObject) fault('team', 'must be an object');
  const { id, domain, joinable = false, name: sent } = (isObject ? sentTeam : {}) as Document;
  if (id !== undefined && (typeof id !== 'string' || !TEAM_ID.test(id))) {
    fault('team.id', 'must be an id: T0 and nine of 0-9 and A-Z');
  }
  if (sent !== undefined && (typeof sent !== 'string' || sent.trim() === '' || sent.length > 255)) {
    fault('team.name', 'must be a text of 1 to 255 characters');
  }
  if (domain !== undefined && (typeof domain !== 'string' || !DOMAIN.test(domain))) {
    fault('team.domain', 'must be 1 to 21 of a-z and 0-9, with single "-" between');
  }
  if (typeof joinable !== 'boolean') fault('team.joinable', 'must be true or false');
  return {
    name: (sent as string | undefined) ?? name ?? 'Sandbox',
    id: id as string | undefined,
    domain: domain as string | undefined,
    joinable: joinable === true,
  };
}

function readClock(sent: unknown, wallMicros: number, fault: Fault): SandboxTime | null {
  if (sent === undefined || sent === null) return null;
  if (typeof sent !== 'object' || Array.isArray(sent)) {
    fault('clock', 'must be an object');
    return null;
  }
  const { now, frozen = false } = sent as Document;
  const moment = now === undefined ? wallMicros : momentOf(now);
  if (moment === undefined) fault('clock.now', 'must be an ISO time or seconds since 1970');
  if (typeof frozen !== 'boolean') fault('clock.frozen', 'must be true or false');
  if (moment === undefined || (now === undefined && frozen !== true)) return null;
  return frozen === true
    ? { offsetMicros: 0, frozenAt: moment }
    : { offsetMicros: moment - wallMicros, frozenAt: null };
}
