export * from './custom-view.entity.js';
export { CustomViewsResolver } from './custom-views.resolver.js';
export { CustomViewsService } from './custom-views.service.js';
