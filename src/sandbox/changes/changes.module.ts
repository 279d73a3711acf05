import { Module } from '@nestjs/common';
import { TimelineModule } from '../timeline/timeline.module.js';
import { Assertions } from './assertions.service.js';
import { ChangesController } from './changes.controller.js';
import { Changes } from './changes.service.js';

/** A sandbox's changes, and assertions on them. */
@Module({
  imports: [TimelineModule],
  controllers: [ChangesController],
  providers: [Changes, Assertions],
})
export class ChangesModule {}
