import { Module } from '@nestjs/common';
import { ChannelLifecycle } from './channel-lifecycle.service.js';
import { ChannelList } from './channel-list.service.js';
import { ConversationView } from './conversation-view.js';
import { ConversationsController } from './conversations.controller.js';
import { DirectConversations } from './direct-conversations.service.js';
import { History } from './history.service.js';
import { Membership } from './membership.service.js';

@Module({
  controllers: [ConversationsController],
  providers: [ChannelLifecycle, ChannelList, ConversationView, DirectConversations, History, Membership],
  exports: [Membership],
})
export class ConversationsModule {}
