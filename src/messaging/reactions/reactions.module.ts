import { Module } from '@nestjs/common';
import { ReactionsController } from './reactions.controller.js';
import { ReactionLists } from './reaction-lists.service.js';
import { ReactionsService } from './reactions.service.js';

@Module({
  controllers: [ReactionsController],
  providers: [ReactionsService, ReactionLists],
  exports: [ReactionsService],
})
export class ReactionsModule {}
