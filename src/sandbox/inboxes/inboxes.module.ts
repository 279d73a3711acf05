import { Module } from '@nestjs/common';
import { GuardedHttp } from '../../webhooks/guarded-http.js';
import { TimelineModule } from '../timeline/timeline.module.js';
import { InboxEndpoint } from './inbox-endpoint.js';
import { InboxesController } from './inboxes.controller.js';
import { Inboxes } from './inboxes.service.js';

/** Inboxes, and requests to them from inside the server. */
@Module({
  imports: [TimelineModule],
  controllers: [InboxesController],
  providers: [Inboxes, InboxEndpoint],
})
export class InboxesModule {
  constructor(http: GuardedHttp, inboxes: Inboxes) {
    http.handleInternally((url, request) => inboxes.takeInside(url, request));
  }
}
