import { shareServer } from './shared-server.js';

/** Vitest's `globalSetup`: one server for the whole run, or the one that `UNDERSTUDY_URL` names. */
export default async function setup(): Promise<() => Promise<void>> {
  return shareServer();
}
