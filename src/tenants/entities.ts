/** The tables of tenants' life. */
export * from './seeds/seed-ref.entity.js';
