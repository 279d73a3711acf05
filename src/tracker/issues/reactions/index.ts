export { ReactionActs } from './reaction-acts.js';
export { ReactionsResolver } from './reactions.resolver.js';
export { ReactionsService } from './reactions.service.js';
