/** The tables of how tenants are made and end. */
export * from './copies/pool.entity.js';
export * from './ended-control-token.entity.js';
export * from './scripts/script-entry.entity.js';
export * from './scripts/script-firing.entity.js';
export * from './scripts/script-position.entity.js';
