export * from './agent-activity.entity.js';
export * from './agent-session.entity.js';
export { AgentActivitiesResolver } from './agent-activities.resolver.js';
export { AgentActivitiesService } from './agent-activities.service.js';
export { AgentActs } from './agent-acts.js';
export { AgentClock } from './agent-clock.js';
export { AgentSessionsResolver } from './agent-sessions.resolver.js';
export { AgentSessionsService } from './agent-sessions.service.js';
export { RepositorySuggestions } from './repository-suggestions.js';
