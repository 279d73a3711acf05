import { createApp } from '../app.js';
import { ENTITIES } from '../entities.js';
import { publicUrl, type Settings } from '../kernel/config/settings.js';
import { openStore } from '../kernel/database/store.js';
import { Log } from '../kernel/log/log.js';
import { FirstStart } from '../tenants/first-start.js';
import { UiLinks, type UiLinkRequest } from '../tenants/ui-links.js';
import { tokensDocument, type TokensDocument, type TokensPath } from './operator-channel.js';

/** A link into the web UI of a server that works on the same database. */
export async function linkOfStore(settings: Settings, request: UiLinkRequest): Promise<string> {
  const store = await openStore(settings, ENTITIES);
  try {
    const app = await createApp(settings, store, Log.create(settings));
    return await app.get(UiLinks, { strict: false }).open(publicUrl(settings), request);
  } finally {
    await store.close();
  }
}

/** Opens the store and reads or rotates the tokens there. An embedded database must not be open in a server. */
export async function tokensOfStore(settings: Settings, path: TokensPath): Promise<TokensDocument> {
  const store = await openStore(settings, ENTITIES);
  try {
    // composed but not started: this process must not listen, deliver webhooks or follow the event log
    const app = await createApp(settings, store, Log.create(settings));
    const firstStart = app.get(FirstStart, { strict: false });
    let tenant = await firstStart.ensure();
    if (path === '/tokens/rotate') tenant = await firstStart.rotate();
    return tokensDocument(publicUrl(settings), tenant);
  } finally {
    await store.close();
  }
}
