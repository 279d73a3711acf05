import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { KnownScopes } from '../messaging/apps/known-scopes.js';
import { RpcModule } from '../messaging/rpc/rpc.module.js';
import { HookSecrets } from '../messaging/installing/hook-secrets.js';
import { AdminGuard } from './admin.guard.js';
import { Admins } from './admins.js';
import { CopyCredentials } from './copies/copy-credentials.js';
import { Copying } from './copies/copying.js';
import { KeptStates } from './copies/kept-states.js';
import { PoolCopies } from './copies/pool-copies.js';
import { SandboxCopies } from './copies/sandbox-copies.js';
import { DefaultCredentials } from './default-credentials.js';
import { FirstStart } from './first-start.js';
import { NewTenant } from './new-tenant.js';
import { ProvisionController } from './provision.controller.js';
import { Provisioning } from './provisioning.js';
import { TenantRemoval } from './removal/tenant-removal.js';
import { NewSandboxes } from './seeds/new-sandbox.js';
import { DocumentThreads } from './seeds/document-threads.js';
import { SeedDocuments } from './seeds/documents.js';
import { Exporting } from './seeds/export/exporting.js';
import { SeedApplications } from './seeds/seed-applications.js';
import { SeedSessions } from './seeds/seed-sessions.js';
import { SeedApps } from './seeds/seed-apps.js';
import { SeedConversations } from './seeds/seed-conversations.js';
import { SeededTenants } from './seeds/seeded-tenants.js';
import { SeedFile } from './seeds/seed-file.js';
import { SeedHooks } from './seeds/seed-hooks.js';
import { SeedIssues } from './seeds/seed-issues.js';
import { SeedPeople } from './seeds/seed-people.js';
import { SeedProjects } from './seeds/seed-projects.js';
import { SeedTrackerHalf } from './seeds/seed-tracker.js';
import { Verifying } from './seeds/verifying.js';
import { Seeding } from './seeds/seeding.js';
import { States } from './state/states.js';
import { AppCalls } from './app-calls.js';
import { SandboxCallers } from './sandbox-callers.js';
import { UiLinks } from './ui-links.js';

/** First start, provisioning, deletion: besides the composition root the only folder that names both products. */
@Module({
  imports: [AuthModule, RpcModule],
  controllers: [ProvisionController],
  providers: [
    AppCalls,
    AdminGuard,
    Admins,
    CopyCredentials,
    Copying,
    KeptStates,
    DefaultCredentials,
    DocumentThreads,
    Exporting,
    FirstStart,
    HookSecrets,
    KnownScopes,
    NewSandboxes,
    NewTenant,
    PoolCopies,
    Provisioning,
    SandboxCopies,
    SandboxCallers,
    SeedApplications,
    SeedSessions,
    SeedApps,
    SeedConversations,
    SeedDocuments,
    SeededTenants,
    SeedFile,
    SeedHooks,
    SeedIssues,
    Seeding,
    SeedPeople,
    SeedProjects,
    SeedTrackerHalf,
    States,
    TenantRemoval,
    UiLinks,
    Verifying,
  ],
  exports: [
    Admins,
    AppCalls,
    Exporting,
    FirstStart,
    NewSandboxes,
    PoolCopies,
    SandboxCallers,
    SandboxCopies,
    SeedDocuments,
    States,
    TenantRemoval,
    UiLinks,
  ],
})
export class TenantsModule {}
