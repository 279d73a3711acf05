export * from './initiative-label.entity.js';
export { InitiativeLabelsResolver } from './initiative-labels.resolver.js';
export { InitiativeLabelsService } from './initiative-labels.service.js';
