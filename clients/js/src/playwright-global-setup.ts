import { shareServer } from './shared-server.js';

/** Playwright's `globalSetup`: one server for the whole run, or the one that `UNDERSTUDY_URL` names. */
export default async function setup(): Promise<() => Promise<void>> {
  return shareServer();
}
