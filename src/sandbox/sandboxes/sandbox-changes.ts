import { BadRequestException } from '@nestjs/common';

/** What PATCH sets, and what creation takes of the same. Absent: left as it is. */
export interface SandboxChanges {
  name?: string;
  labels?: Record<string, string>;
  /** Null: it does not end. */
  ttlSeconds?: number | null;
  journal?: boolean | null;
  methods?: 'core' | 'all' | null;
  rateLimitMultiplier?: number | null;
  missingScopeStatus?: number | null;
}

const MAX_LABELS = 20;
const LABEL_KEY = /^[A-Za-z0-9._/-]{1,63}$/;
const MIN_TTL = 60;
const MAX_TTL = 2_592_000;

/** Names of the fields, as they are sent. */
export const CHANGE_FIELDS = [
  'name',
  'labels',
  'ttl_seconds',
  'journal',
  'methods',
  'rate_limit_multiplier',
  'missing_scope_status',
] as const;

/** Reads the fields that are there; each fault goes to `fault` with its path. */
export function readSandboxChanges(
  body: Readonly<Record<string, unknown>>,
  fault: (path: string, what: string) => void,
): SandboxChanges {
  const changes: SandboxChanges = {};
  const { name, labels, journal, methods, ttl_seconds: ttl } = body;
  const { rate_limit_multiplier: multiplier, missing_scope_status: status } = body;
  if (name !== undefined) {
    if (typeof name === 'string' && name.trim() !== '' && [...name].length <= 80) changes.name = name;
    else fault('name', 'must be a text of 1 to 80 characters');
  }
  if (labels !== undefined) {
    const read = readLabels(labels, fault);
    if (read) changes.labels = read;
  }
  if (ttl !== undefined) {
    if (ttl === null || (Number.isInteger(ttl) && (ttl as number) >= MIN_TTL && (ttl as number) <= MAX_TTL)) {
      changes.ttlSeconds = ttl as number | null;
    } else fault('ttl_seconds', `must be a whole number from ${MIN_TTL} to ${MAX_TTL}, or null`);
  }
  if (journal !== undefined) {
    if (typeof journal === 'boolean' || journal === null) changes.journal = journal;
    else fault('journal', 'must be true or false');
  }
  if (methods !== undefined) {
    if (methods === 'core' || methods === 'all' || methods === null) changes.methods = methods;
    else fault('methods', 'must be core or all');
  }
  if (multiplier !== undefined) {
    const isNumber = typeof multiplier === 'number' && Number.isFinite(multiplier) && multiplier >= 0;
    if (multiplier === null || (isNumber && multiplier <= 1e6)) changes.rateLimitMultiplier = multiplier;
    else fault('rate_limit_multiplier', 'must be a number from 0 to 1000000, or null');
  }
  if (status !== undefined) {
    if (status === 200 || status === 403 || status === null) changes.missingScopeStatus = status;
    else fault('missing_scope_status', 'must be 200, 403 or null');
  }
  return changes;
}

function readLabels(labels: unknown, fault: (path: string, what: string) => void): Record<string, string> | undefined {
  if (typeof labels !== 'object' || labels === null || Array.isArray(labels)) {
    fault('labels', 'must be an object of texts');
    return undefined;
  }
  const entries = Object.entries(labels as Record<string, unknown>);
  if (entries.length > MAX_LABELS) fault('labels', `must be at most ${MAX_LABELS}`);
  for (const [key, value] of entries) {
    if (!LABEL_KEY.test(key))
      fault(`labels.${key}`, 'must have a key of 1 to 63 of A-Z, a-z, 0-9, ".", "_", "/" and "-"');
    if (typeof value !== 'string' || [...value].length > 255)
      fault(`labels.${key}`, 'must be a text of at most 255 characters');
  }
  return Object.fromEntries(entries) as Record<string, string>;
}

/** The same for a body that has nothing else. @throws BadRequestException with all faults */
export function sandboxChangesOf(body: unknown): SandboxChanges {
  const faults: string[] = [];
  const changes = readSandboxChanges((body ?? {}) as Record<string, unknown>, (path, what) =>
    faults.push(`${path} ${what}`),
  );
  if (faults.length > 0) throw new BadRequestException(faults);
  return changes;
}
