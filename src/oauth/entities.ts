export * from './oauth-browser.entity.js';
export * from './oauth-code.entity.js';
export * from './oauth-ticket.entity.js';
