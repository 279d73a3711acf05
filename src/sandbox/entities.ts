/** The tables of sandboxes. */
export * from './deliveries/delivery-record.entity.js';
export * from './deliveries/delivery-rule.entity.js';
export * from './faults/fault.entity.js';
export * from './inboxes/inbox.entity.js';
export * from './mcp-urls/mcp-url.entity.js';
export * from './timeline/timeline-entry.entity.js';
export * from './timeline/timeline-page.entity.js';
export * from './timeline/timeline-state.entity.js';
export * from './trajectories/trajectory-replay.entity.js';
