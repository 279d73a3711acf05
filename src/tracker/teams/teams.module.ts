import { Module } from '@nestjs/common';
import { CyclesResolver } from './cycles/cycles.resolver.js';
import { CyclesService } from './cycles/cycles.service.js';
import { StatesResolver } from './states/states.resolver.js';
import { StatesService } from './states/states.service.js';
import { TeamsResolver } from './teams.resolver.js';
import { TeamsService } from './teams.service.js';

/** Teams, their workflow states and their cycles. */
@Module({
  providers: [CyclesResolver, CyclesService, StatesResolver, StatesService, TeamsResolver, TeamsService],
})
export class TeamsModule {}
