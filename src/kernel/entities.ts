/** The kernel's tables. */
export * from './database/instance-value.entity.js';
export * from './database/sealed-column.entity.js';
export * from './events/logged-event.entity.js';
export * from './limits/rate-bucket.entity.js';
export * from './limits/rate-window.entity.js';
export * from './realtime/socket-seat.entity.js';
export * from './sandbox/row-image.entity.js';
export * from './sandbox/sandbox.entity.js';
export * from './sandbox/seed-ref.entity.js';
export * from './sandbox/snapshot.entity.js';
export * from './sandbox/tracked-table.entity.js';
export * from './tenancy/tenant.entity.js';
