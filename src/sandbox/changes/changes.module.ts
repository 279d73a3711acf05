import { Module } from '@nestjs/common';
import { TenantsModule } from '../../tenants/tenants.module.js';
import { TimelineModule } from '../timeline/timeline.module.js';
import { Assertions } from './assertions.service.js';
import { ChangesController } from './changes.controller.js';
import { TrajectoriesController } from '../trajectories/trajectories.controller.js';
import { Trajectories } from '../trajectories/trajectories.service.js';
import { KeptReplays } from '../trajectories/kept-replays.js';
import { TrajectoryReplays } from '../trajectories/trajectory-replays.js';
import { Changes } from './changes.service.js';

/** A sandbox's changes, assertions on them, and trajectories. */
@Module({
  imports: [TenantsModule, TimelineModule],
  controllers: [ChangesController, TrajectoriesController],
  providers: [Changes, Assertions, Trajectories, KeptReplays, TrajectoryReplays],
})
export class ChangesModule {}
