import type { SandboxChangesBody } from './sandboxes.dto.js';

/** The settings of PATCH, and the same ones at creation. Absent: unchanged. */
export interface SandboxChanges {
  readonly name?: string | undefined;
  readonly labels?: Record<string, string> | undefined;
  /** Null: unlimited. */
  readonly ttlSeconds?: number | null | undefined;
  readonly journal?: boolean | null | undefined;
  readonly methods?: 'core' | 'all' | null | undefined;
  readonly rateLimitMultiplier?: number | null | undefined;
  readonly missingScopeStatus?: number | null | undefined;
  readonly urls?: 'server' | 'vendor' | null | undefined;
}

/** The fields' names on the wire. */
export const CHANGE_FIELDS = [
  'name',
  'labels',
  'ttl_seconds',
  'journal',
  'methods',
  'rate_limit_multiplier',
  'missing_scope_status',
  'urls',
] as const satisfies readonly (keyof SandboxChangesBody)[];

export const changesOf = (body: SandboxChangesBody): SandboxChanges => ({
  name: body.name,
  labels: body.labels,
  ttlSeconds: body.ttl_seconds,
  journal: body.journal,
  methods: body.methods,
  rateLimitMultiplier: body.rate_limit_multiplier,
  missingScopeStatus: body.missing_scope_status,
  urls: body.urls,
});
