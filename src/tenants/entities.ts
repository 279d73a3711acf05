/** The tables of tenant provisioning. */
export * from './seeds/seed-ref.entity.js';
