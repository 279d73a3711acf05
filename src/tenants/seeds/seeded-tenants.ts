import { Injectable } from '@nestjs/common';
import type { Tx } from '../../kernel/database/db.js';
import { newUuid } from '../../kernel/ids/ids.js';
import { defaultManifest } from '../../messaging/provisioning/default-scopes.js';
import type { AppManifest } from '../../messaging/store/app-manifest.js';
import { DEFAULT_APPLICATION, TrackerSetup } from '../../tracker/provisioning/setup.js';
import { NewTenant, type CreatedTenant } from '../new-tenant.js';
import { withFreeNames } from './fixed-names.js';
import { KnownObjects, type Seeded } from './known-objects.js';
import { tokensOf } from './app-credentials.js';
import { shownApplication } from './seed-applications.js';
import { isEmptySeed, type Seed } from './seed-types.js';
import { Seeding } from './seeding.js';
import { TrackerNames } from './known-tracker.js';
import { personsOf, scriptNamesOf, unknownNames } from './unknown-names.js';
import { unknownInScript } from '../scripts/read-script.js';
import { unknownTrackerNames } from './unknown-tracker-names.js';

/** The properties of a tenant made from a document, already validated. */
export interface TenantOptions {
  readonly team: {
    readonly name: string;
    readonly id?: string | undefined;
    readonly domain?: string | undefined;
    readonly joinable: boolean;
  };
  readonly admin: {
    readonly email?: string | undefined;
    readonly name: string;
    readonly passwordHash: string;
  };
  /** Of its first app; absent: the default app's. */
  readonly manifest?: AppManifest | undefined;
  /** As for provisioning: everything the document names is new, and the app's bot joins every channel. */
  readonly isProvisioned?: boolean;
}

/** A tenant with all its credentials, in plain text. Never log it. */
export interface MadeTenant extends CreatedTenant {
  readonly tokens: ReturnType<typeof tokensOf>['plaintext'];
  readonly organizationId: string;
  readonly urlKey: string;
  readonly apiKey: string;
  readonly seeded: Seeded;
}

const NOTHING: Seeded = { users: {}, channels: {}, apps: {}, teams: {}, tracker_apps: {}, refs: {} };

/** Makes tenants from documents, for sandboxes and provisioning alike. */
@Injectable()
export class SeededTenants {
  constructor(
    private readonly tenants: NewTenant,
    private readonly tracker: TrackerSetup,
    private readonly seeding: Seeding,
  ) {}

  /**
   * In the caller's transaction, which then makes the result the baseline.
   * @throws BadRequestException with all faults; RestError 409 domain_taken, email_taken … with the path;
   * NamesOfEndedTenants
   */
  async make(
    tx: Tx,
    { team, admin, manifest, isProvisioned = false }: TenantOptions,
    document: Seed,
  ): Promise<MadeTenant> {
    let seed = document;
    const known = KnownObjects.ofNewTenant((manifest ?? defaultManifest()).display_information.name);
    this.seeding.refuseFaults([
      ...seed.faults,
      ...unknownNames(seed, known, { onlyNew: isProvisioned }),
      ...unknownInScript(seed.script, scriptNamesOf(seed, known)),
      ...unknownTrackerNames(
        seed.tracker,
        TrackerNames.ofNew(seed.tracker.teams === undefined),
        personsOf(seed, known),
      ),
    ]);
    seed = await withFreeNames(tx, seed, { teamId: team.id, there: new Set() });
    const organizationId = newUuid();
    let plaintext: MadeTenant['tokens'] | undefined;
    const made = await this.tenants.create(tx, {
      ...team,
      isDefault: false,
      admin,
      manifest: manifest ?? defaultManifest(),
      isDefaultApp: manifest === undefined,
      ids: idsIn(seed, manifest),
      organizationId,
      tokensOf: (app, adminId) => {
        const tokens = tokensOf(app, adminId);
        plaintext = tokens.plaintext;
        return tokens.stored;
      },
    });
    const { tenantId, workspace, app } = made;
    const organization = await this.tracker.createTenantOrganization(tx, {
      id: organizationId,
      tenantId,
      name: team.name,
      urlKey: workspace.domain,
      owner: { accountId: made.admin.id, name: admin.name, email: made.admin.email },
      hasTeam: seed.tracker.teams === undefined,
    });
    const context = {
      tenantId,
      workspaceId: workspace.id,
      domain: workspace.domain,
      organizationId,
      adminId: made.admin.id,
      isNew: true,
      onlyNew: isProvisioned,
      inChannels: isProvisioned ? [app.botUserId] : [],
    };
    const begun = KnownObjects.ofMade(made, organization.ownerId);
    const seeded = isEmptySeed(seed) ? NOTHING : await this.seeding.fill(tx, context, seed, begun);
    const { urlKey, team: first, apiKey } = organization;
    const teams = first && Object.keys(seeded.teams).length === 0 ? { [first.key]: { id: first.id } } : seeded.teams;
    const tokens = plaintext as MadeTenant['tokens'];
    const applications = { [DEFAULT_APPLICATION]: shownApplication(organization.application), ...seeded.tracker_apps };
    return {
      ...made,
      tokens,
      organizationId,
      urlKey,
      apiKey,
      seeded: { ...seeded, teams, tracker_apps: applications },
    };
  }
}

/** Ids that a document fixes for a tenant's initial content. */
const idsIn = ({ users, apps, channels }: Seed, manifest: AppManifest | undefined) => {
  const appName = (manifest ?? defaultManifest()).display_information.name;
  return {
    admin: users.find(({ name }) => name === 'admin')?.id,
    app: apps.find(({ name }) => name === appName)?.id,
    general: channels.find(({ name }) => name === 'general')?.id,
    random: channels.find(({ name }) => name === 'random')?.id,
  };
};
