import { Module } from '@nestjs/common';
import { HookSecrets } from '../installing/hook-secrets.js';
import { OauthAccess } from './access.service.js';
import { AuthorizeController } from './authorize.controller.js';
import { ChatConsent } from './chat-consent.js';
import { ClientCalls } from './client-calls.js';
import { Clients } from './clients.js';
import { CommandsLeftOut } from './commands-left-out.js';
import { InstallableChat } from './installable-chat.js';
import { OauthController } from './oauth.controller.js';
import { OwnConsents } from './own-consents.js';
import { OwnConsentsController } from './own-consents.controller.js';
import { OpenidClaims } from './openid-claims.js';
import { OpenidKeys } from './openid-keys.js';
import { OpenidController } from './openid.controller.js';
import { OpenidTokens } from './openid-tokens.service.js';
import { Redemption } from './redemption.js';
import { Revocation } from './revocation.service.js';
import { TokenEnds } from './token-ends.js';
import { TokenRotation } from './token-rotation.js';

@Module({
  controllers: [AuthorizeController, OauthController, OpenidController, OwnConsentsController],
  providers: [
    ChatConsent,
    ClientCalls,
    Clients,
    CommandsLeftOut,
    HookSecrets,
    InstallableChat,
    OauthAccess,
    OwnConsents,
    OpenidClaims,
    OpenidKeys,
    OpenidTokens,
    Redemption,
    Revocation,
    TokenEnds,
    TokenRotation,
  ],
})
export class ChatOauthModule {}
