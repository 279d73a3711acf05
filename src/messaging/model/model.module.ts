import { Global, Module } from '@nestjs/common';
import { AppsAccess } from './apps-access.js';
import { ConversationAccess } from './conversation-access.js';
import { DeliveryPlan } from './delivery-plan.js';
import { DirectMessages } from './direct-messages.js';
import { Identities } from './identities.js';
import { Memberships } from './memberships.js';
import { MessageAccess } from './message-access.js';
import { MessageLog } from './message-log.js';
import { Newcomers } from './newcomers.js';
import { ResponseUrls } from './response-urls.js';
import { UsersAccess } from './users-access.js';
import { WorkspaceSetup } from './workspace-setup.js';

const doorsAndVerbs = [
  AppsAccess,
  ConversationAccess,
  DeliveryPlan,
  DirectMessages,
  Identities,
  Memberships,
  MessageAccess,
  MessageLog,
  Newcomers,
  ResponseUrls,
  UsersAccess,
  WorkspaceSetup,
];

/** The doors of the chat product and the few verbs that every family needs. */
@Global()
@Module({ providers: doorsAndVerbs, exports: doorsAndVerbs })
export class ModelModule {}
