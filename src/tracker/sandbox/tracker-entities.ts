import { allEntities, entityOf, type EntitySpec } from '../store/define-entity.js';
import type { NameOf, SandboxEntity, StoredRow } from '../../kernel/sandbox/sandbox-entities.js';

/** Columns that no answer shows. */
const HIDDEN = new Set(['organization_id', 'hash', 'secret', 'account_id', 'tenant_id', 'last_sync_id', 'start']);
/** Columns with ids of named objects, and the field that holds the name. */
const NAMED: Readonly<Record<string, string>> = {
  team_id: 'team',
  state_id: 'state',
  assignee_id: 'assignee',
  creator_id: 'creator',
  project_id: 'project',
  cycle_id: 'cycle',
  parent_id: 'parent',
  issue_id: 'issue',
  user_id: 'user',
  lead_id: 'lead',
  status_id: 'status',
};

/** The same names, as the chat's objects spell them. */
const ALSO_NAMED: Readonly<Record<string, string>> = { issue_id: 'issue_identifier', user_id: 'user_name' };

const camel = (key: string): string => key.replace(/_([a-z])/g, (_: string, letter: string) => letter.toUpperCase());

/** A column as the wire has it: moments in ISO with milliseconds. */
function wireValue(key: string, value: unknown): unknown {
  return typeof value === 'string' && /_(at|seen)$/.test(key) ? new Date(value).toISOString() : value;
}

/** A row as the API shows it: camelCase, with names besides ids. */
function show(
  row: StoredRow,
  nameOf: NameOf,
  references: Readonly<Record<string, string>> = {},
): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(row)) {
    if (HIDDEN.has(key)) continue;
    shown[camel(key)] = wireValue(key, value);
    const name = references[key] ?? NAMED[key];
    if (name !== undefined) shown[camel(name)] = value === null ? null : (nameOf(value) ?? null);
    const also = ALSO_NAMED[key];
    if (also !== undefined) shown[also] = value === null ? null : (nameOf(value) ?? null);
    if (key === 'label_ids' && Array.isArray(value)) shown['labels'] = value.map((id) => nameOf(id) ?? id);
  }
  return shown;
}

/** Times and positions that result from other changes. */
const QUIET = [
  'updatedAt',
  'startedAt',
  'completedAt',
  'canceledAt',
  'addedToTeamAt',
  'addedToProjectAt',
  'addedToCycleAt',
  'editedAt',
  'lastAppliedAt',
  'sortOrder',
  'prioritySortOrder',
  'subIssueSortOrder',
  'previousIdentifiers',
  ...Object.values(ALSO_NAMED),
];

const entity = (name: string, { table, changes, references }: EntitySpec): SandboxEntity => ({
  name,
  table,
  follows: ['updated_at', ...(changes?.follows ?? [])],
  quiet: QUIET,
  show: (row, nameOf) => show(row, nameOf, references),
});

/** API keys are no entity of the wire's. */
const API_KEY: SandboxEntity = {
  name: 'api_key',
  table: 'api_keys',
  follows: ['updated_at', 'last_used_at'],
  quiet: QUIET,
  show,
};

/** What an application may do as a person, or as a user of its own: then `user` is null. */
const INSTALLATION: SandboxEntity = {
  name: 'installation',
  table: 'oauth_authorizations',
  follows: ['updated_at', 'granted_by_id'],
  show: (row, nameOf) =>
    row['ended_at'] !== null
      ? null
      : {
          id: row['id'],
          product: 'tracker',
          app: nameOf(row['application_id']) ?? row['application_id'],
          user: row['actor'] === 'app' ? null : (nameOf(row['user_id']) ?? row['user_id']),
          scopes: [...(row['scopes'] as string[])].sort(),
        },
};

/** The kinds that a test of the tracker can assert on: all entities that say so. */
export const trackerEntities = (): SandboxEntity[] => [
  ...allEntities().flatMap((spec) => (spec.changes ? [entity(spec.changes.name, spec)] : [])),
  API_KEY,
  INSTALLATION,
  { ...entity('webhook', entityOf('Webhook')), show: (row, nameOf) => ({ kind: 'tracker', ...show(row, nameOf) }) },
];
