import { Global, Module } from '@nestjs/common';
import { AppsAccess } from './access/apps-access.js';
import { ConversationAccess } from './access/conversation-access.js';
import { ActionTokens } from './events/action-tokens.js';
import { DeliveryPlan } from './events/delivery-plan.js';
import { EventContexts } from './events/event-contexts.js';
import { EventEnvelopes } from './events/event-envelope.js';
import { FunctionTokens } from './events/function-tokens.js';
import { Dialogs } from './surfaces/dialogs.js';
import { ChatView } from './sandbox/chat-view.js';
import { DirectMessages } from './members/direct-messages.js';
import { Identities } from './access/identities.js';
import { Memberships } from './members/memberships.js';
import { TokenUses } from './access/token-uses.js';
import { MessageAccess } from './access/message-access.js';
import { AssistantThreads } from './messages/assistant-threads.js';
import { EphemeralMessages } from './messages/ephemeral-messages.js';
import { MessageLog } from './messages/message-log.js';
import { Posts } from './messages/posts.js';
import { AppMessageEvents } from './messages/app-message-events.js';
import { Replies } from './messages/replies.js';
import { NewMembers } from './members/new-members.js';
import { StreamNews } from './messages/stream-news.js';
import { ResponseUrls } from './surfaces/response-urls.js';
import { Triggers } from './surfaces/triggers.js';
import { Views } from './surfaces/views.js';
import { UsersAccess } from './access/users-access.js';
import { WorkspaceCounts } from './provisioning/workspace-counts.js';
import { BulkSetup } from './provisioning/bulk-setup.js';
import { WorkspaceSetup } from './provisioning/workspace-setup.js';

const sharedProviders = [
  ActionTokens,
  AppsAccess,
  AssistantThreads,
  BulkSetup,
  ChatView,
  ConversationAccess,
  Dialogs,
  DeliveryPlan,
  DirectMessages,
  EventContexts,
  EventEnvelopes,
  EphemeralMessages,
  FunctionTokens,
  Identities,
  Memberships,
  MessageAccess,
  MessageLog,
  Posts,
  AppMessageEvents,
  Replies,
  NewMembers,
  WorkspaceCounts,
  ResponseUrls,
  StreamNews,
  TokenUses,
  Triggers,
  UsersAccess,
  Views,
  WorkspaceSetup,
];

/** Access to the chat product's data and the few operations that every family needs. */
@Global()
@Module({ providers: sharedProviders, exports: sharedProviders })
export class ChatCoreModule {}
