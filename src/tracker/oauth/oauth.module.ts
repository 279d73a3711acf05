import { Global, Module } from '@nestjs/common';
import { HttpEdges } from '../../kernel/http/edges.js';
import { ApplicationTeams } from './application-teams.js';
import { ApplicationWebhooks } from './application-webhooks.js';
import { ApplicationsController } from './applications.controller.js';
import { ApplicationsService } from './applications.service.js';
import { AppUsers } from './app-users.js';
import { AuthorizationEnds } from './authorization-ends.js';
import { Authorizations } from './authorizations.js';
import { TrackerAuthorizeController } from './authorize.controller.js';
import { InstallableTracker } from './installable-tracker.js';
import { OauthClients } from './oauth-clients.js';
import { OauthNames } from './oauth-names.js';
import { Revocation } from './revocation.service.js';
import { TokenService } from './token.service.js';
import { TrackerTokenController } from './token.controller.js';
import { TrackerConsent } from './tracker-consent.js';

/** Applications, and what people let them do (docs/reference/tracker-oauth.md); documents of sandboxes authorize as well. */
@Global()
@Module({
  controllers: [ApplicationsController, TrackerAuthorizeController, TrackerTokenController],
  providers: [
    ApplicationTeams,
    ApplicationWebhooks,
    ApplicationsService,
    AppUsers,
    AuthorizationEnds,
    Authorizations,
    InstallableTracker,
    OauthClients,
    OauthNames,
    Revocation,
    TokenService,
    TrackerConsent,
  ],
  exports: [Authorizations],
})
export class TrackerOauthModule {
  constructor(edges: HttpEdges) {
    edges.addForStrangers(/^\/oauth\/(?:token|revoke)$/);
    edges.addForm('/oauth/token');
    edges.addForm('/oauth/revoke');
  }
}
