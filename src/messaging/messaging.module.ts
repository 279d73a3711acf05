import { Module } from '@nestjs/common';
import { ActingModule } from './acting/acting.module.js';
import { ChatAuthModule } from './auth/auth.module.js';
import { AppsModule } from './apps/apps.module.js';
import { ChatModule } from './chat/chat.module.js';
import { CommandsModule } from './commands/commands.module.js';
import { ConversationsModule } from './conversations/conversations.module.js';
import { InstallingModule } from './installing/installing.module.js';
import { InteractionsModule } from './interactions/interactions.module.js';
import { ChatMcpModule } from './mcp/mcp.module.js';
import { TeamModule } from './team/team.module.js';
import { AgentsModule } from './agents/agents.module.js';
import { AssistantModule } from './assistant/assistant.module.js';
import { ChatOauthModule } from './oauth/oauth.module.js';
import { PinsModule } from './pins/pins.module.js';
import { FilesModule } from './files/files.module.js';
import { BlocksModule } from './blocks/blocks.module.js';
import { BookmarksModule } from './bookmarks/bookmarks.module.js';
import { BotsModule } from './bots/bots.module.js';
import { DialogsModule } from './dialogs/dialogs.module.js';
import { EntityModule } from './entity/entity.module.js';
import { EmojiModule } from './emoji/emoji.module.js';
import { FunctionsModule } from './functions/functions.module.js';
import { UsergroupsModule } from './usergroups/usergroups.module.js';
import { ReactionsModule } from './reactions/reactions.module.js';
import { RestModule } from './rest/rest.module.js';
import { RpcModule } from './rpc/rpc.module.js';
import { SearchModule } from './search/search.module.js';
import { SocketsModule } from './sockets/sockets.module.js';
import { StreamsModule } from './streams/streams.module.js';
import { UsersModule } from './users/users.module.js';
import { ViewsModule } from './views/views.module.js';
import { ChatWebhooksModule } from './webhooks/webhooks.module.js';
import { WorkspacesModule } from './workspaces/workspaces.module.js';
import { ChatRealtimeModule } from './realtime/realtime.module.js';

/** The chat product: one module a method family (docs/METHODS.md), and the control plane (docs/reference/control-plane.md). */
@Module({
  imports: [
    RpcModule,
    InstallingModule,
    ChatMcpModule,
    ChatRealtimeModule,
    ChatAuthModule,
    ChatModule,
    ConversationsModule,
    ReactionsModule,
    SearchModule,
    SocketsModule,
    StreamsModule,
    UsersModule,
    UsergroupsModule,
    EmojiModule,
    BlocksModule,
    BookmarksModule,
    BotsModule,
    DialogsModule,
    EntityModule,
    FilesModule,
    FunctionsModule,
    PinsModule,
    AssistantModule,
    AgentsModule,
    TeamModule,
    ViewsModule,
    RestModule,
    AppsModule,
    ChatOauthModule,
    CommandsModule,
    InteractionsModule,
    ChatWebhooksModule,
    WorkspacesModule,
    ActingModule,
  ],
})
export class MessagingModule {}
