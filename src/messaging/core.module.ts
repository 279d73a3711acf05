import { Global, Module } from '@nestjs/common';
import { AppsAccess } from './access/apps-access.js';
import { ConversationAccess } from './access/conversation-access.js';
import { ActionTokens } from './events/action-tokens.js';
import { DeliveryPlan } from './events/delivery-plan.js';
import { EventContexts } from './events/event-contexts.js';
import { EventEnvelopes } from './events/event-envelope.js';
import { FunctionTokens } from './events/function-tokens.js';
import { Dialogs } from './store/dialogs.js';
import { EntityRequests } from './store/entity-requests.js';
import { ChatView } from './store/chat-view.js';
import { DirectMessages } from './store/direct-messages.js';
import { Identities } from './access/identities.js';
import { Memberships } from './store/memberships.js';
import { TokenUses } from './access/token-uses.js';
import { MessageAccess } from './access/message-access.js';
import { AssistantThreads } from './store/assistant-threads.js';
import { FunctionExecutions } from './store/function-executions.js';
import { EphemeralMessages } from './store/ephemeral-messages.js';
import { MessageLog } from './store/message-log.js';
import { PostBatches } from './store/post-batches.js';
import { AppMessageEvents } from './store/app-message-events.js';
import { Replies } from './store/replies.js';
import { NewMembers } from './store/new-members.js';
import { StreamNews } from './store/stream-news.js';
import { ResponseUrls } from './store/response-urls.js';
import { Triggers } from './store/triggers.js';
import { Views } from './store/views.js';
import { UsersAccess } from './access/users-access.js';
import { WorkspaceCounts } from './store/workspace-counts.js';
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
  EntityRequests,
  EventContexts,
  EventEnvelopes,
  EphemeralMessages,
  FunctionExecutions,
  FunctionTokens,
  Identities,
  Memberships,
  MessageAccess,
  MessageLog,
  PostBatches,
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
