import { Module } from '@nestjs/common';
import { ChatModule } from '../chat/chat.module.js';
import { CommandsModule } from '../commands/commands.module.js';
import { ConversationsModule } from '../conversations/conversations.module.js';
import { EntityModule } from '../entity/entity.module.js';
import { FunctionsModule } from '../functions/functions.module.js';
import { InteractionsModule } from '../interactions/interactions.module.js';
import { ReactionsModule } from '../reactions/reactions.module.js';
import { StreamsModule } from '../streams/streams.module.js';
import { ActCallers } from './act-callers.js';
import { ActNames } from './act-names.js';
import { ActWatch } from './act-watch.js';
import { ActingController } from './acting.controller.js';
import { Acting } from './acting.service.js';
import { AgentContexts } from './agent-contexts.js';
import { AgentVerbs } from './agent-verbs.js';
import { AppVerbs } from './app-verbs.js';
import { DeliveryLog } from './delivery-log.js';
import { EntityVerbs } from './entity-verbs.js';
import { MessageVerbs } from './message-verbs.js';
import { Screen } from './screen.service.js';
import { StepVerbs } from './step-verbs.js';

@Module({
  imports: [
    ChatModule,
    CommandsModule,
    ConversationsModule,
    EntityModule,
    FunctionsModule,
    InteractionsModule,
    ReactionsModule,
    StreamsModule,
  ],
  controllers: [ActingController],
  providers: [
    ActCallers,
    ActNames,
    ActWatch,
    Acting,
    AgentContexts,
    AgentVerbs,
    AppVerbs,
    DeliveryLog,
    EntityVerbs,
    MessageVerbs,
    Screen,
    StepVerbs,
  ],
})
export class ActingModule {}
