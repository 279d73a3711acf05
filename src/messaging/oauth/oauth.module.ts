import { Module } from '@nestjs/common';
import { HookSecrets } from '../store/hook-secrets.js';
import { OauthAccess } from './access.service.js';
import { AuthorizeController } from './authorize.controller.js';
import { ChatConsent } from './chat-consent.js';
import { ClientCalls } from './client-calls.js';
import { Clients } from './clients.js';
import { CommandsLeftOut } from './commands-left-out.js';
import { InstallableChat } from './installable-chat.js';
import { OauthController } from './oauth.controller.js';
import { Redemption } from './redemption.js';
import { Revocation } from './revocation.service.js';
import { TokenEnds } from './token-ends.js';
import { TokenRotation } from './token-rotation.js';

@Module({
  controllers: [AuthorizeController, OauthController],
  providers: [
    ChatConsent,
    ClientCalls,
    Clients,
    CommandsLeftOut,
    HookSecrets,
    InstallableChat,
    OauthAccess,
    Redemption,
    Revocation,
    TokenEnds,
    TokenRotation,
  ],
})
export class ChatOauthModule {}
