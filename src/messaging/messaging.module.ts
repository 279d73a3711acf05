import { Module } from '@nestjs/common';
import { ChatAuthModule } from './auth/auth.module.js';
import { AppsModule } from './apps/apps.module.js';
import { ChatModule } from './chat/chat.module.js';
import { CommandsModule } from './commands/commands.module.js';
import { ConversationsModule } from './conversations/conversations.module.js';
import { InteractionsModule } from './interactions/interactions.module.js';
import { ChatMcpModule } from './mcp/mcp.module.js';
import { ReactionsModule } from './reactions/reactions.module.js';
import { RestModule } from './rest/rest.module.js';
import { RpcModule } from './rpc/rpc.module.js';
import { SearchModule } from './search/search.module.js';
import { UsersModule } from './users/users.module.js';
import { ChatWebhooksModule } from './webhooks/webhooks.module.js';
import { WorkspacesModule } from './workspaces/workspaces.module.js';
import { ChatRealtimeModule } from './realtime/realtime.module.js';

/** The chat product: one module a method family (messaging.md B), and the control plane (E). */
@Module({
  imports: [
    RpcModule,
    ChatMcpModule,
    ChatRealtimeModule,
    ChatAuthModule,
    ChatModule,
    ConversationsModule,
    ReactionsModule,
    SearchModule,
    UsersModule,
    RestModule,
    AppsModule,
    CommandsModule,
    InteractionsModule,
    ChatWebhooksModule,
    WorkspacesModule,
  ],
})
export class MessagingModule {}
