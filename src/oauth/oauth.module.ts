import { Global, Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { HttpEdges } from '../kernel/http/edges.js';
import { ConsentBrowser } from './consent-browser.js';
import { ConsentController, ConsentErrors } from './consent.controller.js';
import { ConsentPages } from './consent-pages.js';
import { ConsentProducts } from './consent-product.js';
import { ConsentTickets } from './consent-tickets.js';
import { InstallableProducts } from './installable-products.js';
import { OauthCodes } from './oauth-codes.js';

const shared = [ConsentBrowser, ConsentErrors, ConsentPages, ConsentProducts, InstallableProducts, OauthCodes];

/** Consent and codes, for the apps of both products. */
@Global()
@Module({
  imports: [AuthModule],
  controllers: [ConsentController],
  providers: [...shared, ConsentTickets],
  exports: shared,
})
export class OauthModule {
  constructor(edges: HttpEdges) {
    edges.addForStrangers(/^\/oauth\/(?:consent|sign-in)$/);
    edges.addForm('/oauth/consent');
    edges.addForm('/oauth/sign-in');
  }
}

/** Routes of OAuth, which are outside `/api` as those of the services it stands in for are. */
export const OAUTH_ROUTES = ['oauth/*path', 'openid/*path', '.well-known/openid-configuration'];
