import { Global, Module } from '@nestjs/common';
import { ChatModule } from '../chat/chat.module.js';
import { AppMessages } from './app-messages.js';
import { AppRequests } from './app-requests.js';
import { AppSender } from './app-sender.js';
import { Handshakes } from './handshakes.js';
import { UrlVerification } from './url-verification.js';

/** What the families of the control plane share. */
@Global()
@Module({
  imports: [ChatModule],
  providers: [AppMessages, AppRequests, AppSender, UrlVerification, Handshakes],
  exports: [AppMessages, AppRequests, AppSender, UrlVerification, Handshakes],
})
export class RestModule {}
