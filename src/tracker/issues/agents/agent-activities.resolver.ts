import { Args, Mutation, Resolver } from '@nestjs/graphql';
import type { Viewer } from '../../access/viewer.js';
import { EntityResolver, WithEntity } from '../../entity/resolver.js';
import { ViewerOf } from '../../graphql/viewer-of.js';
import { AgentActivitiesService } from './agent-activities.service.js';
import { agentActivities } from './agent-activity.entity.js';
import { AgentActivityCreateInput } from './agent-sessions.inputs.js';
import { AgentSessionsService } from './agent-sessions.service.js';

/** docs/reference/tracker-agents.md#activities. */
@Resolver(() => agentActivities.types.Type)
@WithEntity(agentActivities)
export class AgentActivitiesResolver extends EntityResolver(agentActivities) {
  constructor(
    activities: AgentActivitiesService,
    private readonly sessions: AgentSessionsService,
  ) {
    super(activities);
  }

  @Mutation(() => agentActivities.types.Payload)
  agentActivityCreate(@ViewerOf() viewer: Viewer, @Args('input') input: AgentActivityCreateInput) {
    return this.sessions.say(viewer, input);
  }
}
