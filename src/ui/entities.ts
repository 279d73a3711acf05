/** The tables of the web UI. */
export * from './browser-sign-in.entity.js';
export * from './browser.entity.js';
