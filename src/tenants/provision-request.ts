import { BadRequestException } from '@nestjs/common';
import { RestError } from '../kernel/http/http-error.js';
import type { AppManifest } from '../messaging/store/app-manifest.js';
import { readManifest } from '../messaging/provisioning/manifest.js';
import { manifestWarnings, type ManifestSurface } from '../messaging/provisioning/manifest-warnings.js';
import type { ProvisionAdmin, ProvisionBody, ProvisionTeam } from './provision.dto.js';
import { seedShapes } from '../tracker/entity/seed-shapes.js';
import { readSeed } from './seeds/seed-document.js';
import type { Seed, SeedUser } from './seeds/seed-types.js';

/** A provisioning request, validated by itself. */
export interface ProvisionRequest {
  readonly team?: ProvisionTeam | undefined;
  readonly admin?: ProvisionAdmin | undefined;
  /** Undefined: the default app's. */
  readonly manifest?: AppManifest | undefined;
  readonly seed: Seed;
}

const FIELDS =
  'team admin app users channels dms apps incoming_webhooks outgoing_webhooks tracker random_seed verify access_token_seconds';
const OWN_FIELDS: Readonly<Record<string, readonly string[]>> = {
  team: ['name', 'domain', 'joinable'],
  admin: ['email', 'name', 'password'],
  app: ['manifest'],
};

/**
 * @param body the fields that the class of the body declares;
 * @param sent the whole body: includes the parts of a document
 * @throws BadRequestException with every fault; RestError 409 name_taken
 */
export function readProvisionRequest(
  body: ProvisionBody,
  sent: unknown,
  options: { strict: boolean; surface: ManifestSurface; nowMicros: number },
): ProvisionRequest {
  const document = (sent ?? {}) as Record<string, unknown>;
  requireUnique(document['users']);
  requireUnique(document['channels']);
  const { surface, strict, nowMicros } = options;
  const { team, admin, app, ...rest } = document;
  const seed = readSeed(rest, nowMicros, {
    strict: false,
    surface,
    shapes: seedShapes(),
    fields: FIELDS,
    passwords: true,
  });
  const own = Object.entries({ team, admin, app }).flatMap(([part, value]) =>
    Object.keys((value ?? {}) as object)
      .filter((key) => !OWN_FIELDS[part]?.includes(key))
      .map((key) => `${part}.${key}: no such field`),
  );
  const manifest = manifestOf(body);
  const warnings = [
    ...own,
    ...seed.warnings,
    ...(manifest ? manifestWarnings(manifest, surface, 'app.manifest.') : []),
  ];
  const faults = [...seed.faults, ...(strict ? warnings : [])].map(asRoute);
  if (faults.length > 0) throw new BadRequestException(faults.slice(0, 50));
  return { team: body.team, admin: body.admin, manifest, seed: { ...seed, warnings } };
}

/** Faults in the format of this route: without the colon after the path. */
const asRoute = (fault: string): string =>
  fault
    .replace(/: must be a list$/, ' must be an array')
    .replace(': must ', ' must ')
    .replace(/: no user or app has the name "[^"]*"$/, ' names no user of the workspace');

/** A refusal of the tenant's creation, in the format of this route. */
export function asRouteError(error: unknown): unknown {
  if (error instanceof RestError)
    return error.path === undefined ? error : new RestError(error.getStatus(), error.code);
  if (!(error instanceof BadRequestException)) return error;
  const { message } = error.getResponse() as { message: string | string[] };
  return new BadRequestException([message].flat().map(asRoute));
}

/** @throws RestError 409 name_taken when a call uses a name twice */
function requireUnique(list: unknown): void {
  if (!Array.isArray(list)) return;
  const seen = new Set<unknown>();
  for (const one of list) {
    const name: unknown = typeof one === 'string' ? one : (one as { name?: unknown } | null)?.name;
    if (name === undefined) continue;
    if (seen.has(name)) throw new RestError(409, 'name_taken');
    seen.add(name);
  }
}

/** @throws BadRequestException naming every faulty path */
function manifestOf(body: ProvisionBody): AppManifest | undefined {
  if (!body.app?.manifest) return undefined;
  const read = readManifest(body.app.manifest, 'app.manifest');
  if ('faults' in read) throw new BadRequestException(read.faults);
  return read.manifest;
}

/** The address that a person of a document gets. */
export const emailOf = ({ name, email }: Pick<SeedUser, 'name' | 'email'>, domain: string): string =>
  (email ?? `${name}@${domain}.example`).toLowerCase();

/** The objects that refs name, without the tracker's ids, which this route does not show. */
export function shownRefs(refs: Readonly<Record<string, object>>): { refs?: object } {
  const shown = Object.entries(refs).map(([ref, thing]) => {
    const { id, ...rest } = thing as Record<string, unknown>;
    return [ref, typeof id === 'string' && id.length < 20 ? thing : rest];
  });
  return shown.length > 0 ? { refs: Object.fromEntries(shown) } : {};
}
