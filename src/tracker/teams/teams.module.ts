import { Module } from '@nestjs/common';
import { StatesResolver } from './states/states.resolver.js';
import { StatesService } from './states/states.service.js';
import { MembershipsResolver } from './memberships/memberships.resolver.js';
import { MembershipsService } from './memberships/memberships.service.js';
import { TeamsResolver } from './teams.resolver.js';
import { TeamsService } from './teams.service.js';

/** Teams, their members and their workflow states. */
@Module({
  providers: [MembershipsResolver, MembershipsService, StatesResolver, StatesService, TeamsResolver, TeamsService],
})
export class TeamsModule {}
