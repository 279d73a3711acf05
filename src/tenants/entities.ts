/** The tables of tenant provisioning. */
export * from './seeds/seed-ref.entity.js';
export * from './scripts/script-entry.entity.js';
export * from './scripts/script-firing.entity.js';
export * from './scripts/script-position.entity.js';
