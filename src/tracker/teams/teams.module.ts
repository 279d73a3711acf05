import { Module } from '@nestjs/common';
import { StatesResolver } from './states/states.resolver.js';
import { StatesService } from './states/states.service.js';
import { TeamsResolver } from './teams.resolver.js';
import { TeamsService } from './teams.service.js';

/** Teams and their workflow states. */
@Module({
  providers: [StatesResolver, StatesService, TeamsResolver, TeamsService],
})
export class TeamsModule {}
