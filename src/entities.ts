import { getMetadataArgsStorage } from 'typeorm';
import * as auth from './auth/entities.js';
import * as kernel from './kernel/entities.js';
import * as messaging from './messaging/entities.js';
import * as oauth from './oauth/entities.js';
import * as sandbox from './sandbox/entities.js';
import * as tenants from './tenants/entities.js';
import * as tracker from './tracker/entities.js';
import * as ui from './ui/entities.js';
import * as webhooks from './webhooks/entities.js';

/** What is exported beside the entities themselves (types' constants, select lists) is none. */
const tables = new Set<unknown>(getMetadataArgsStorage().tables.map(({ target }) => target));

/** Every table of the store, for the DataSource: each part of the server lists its own. */
export const ENTITIES = [kernel, auth, oauth, webhooks, messaging, tracker, sandbox, tenants, ui]
  .flatMap((part) => Object.values<unknown>(part))
  .filter((exported): exported is new () => object => tables.has(exported));
