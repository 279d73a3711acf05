export * from './reaction.entity.js';
export { ReactionsResolver } from './reactions.resolver.js';
export { ReactionsService } from './reactions.service.js';
