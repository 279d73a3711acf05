import { Injectable } from '@nestjs/common';
import { EntityNeeds, EntityService } from '../../entity/service.js';
import { agentActivities } from './agent-activity.entity.js';

/** Reads what was said in sessions of agents; `AgentSessionsService` writes it (docs/reference/tracker-agents.md#activities). */
@Injectable()
export class AgentActivitiesService extends EntityService<typeof agentActivities> {
  constructor(needs: EntityNeeds) {
    super(agentActivities, needs);
  }
}
