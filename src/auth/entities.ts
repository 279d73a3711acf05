/** The tables of accounts and sessions. */
export * from './account.entity.js';
export * from './session.entity.js';
export * from './sign-in-link.entity.js';
export * from './spent-refresh-token.entity.js';
