import { Module } from '@nestjs/common';
import { TimelineModule } from '../timeline/timeline.module.js';
import { Assertions } from './assertions.service.js';
import { ChangesController } from './changes.controller.js';
import { Changes } from './changes.service.js';

/** What a test did to a sandbox, and whether it is what was expected. */
@Module({
  imports: [TimelineModule],
  controllers: [ChangesController],
  providers: [Changes, Assertions],
})
export class ChangesModule {}
