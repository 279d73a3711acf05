/** The tables of the delivery engine. */
export * from './delivery-count.entity.js';
export * from './delivery-target.entity.js';
export * from './delivery.entity.js';
