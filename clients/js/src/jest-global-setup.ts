import { shareServer } from './shared-server.js';

const END = Symbol.for('understudy.end');

/** Jest's `globalSetup`: one server for the whole run, or the one that `UNDERSTUDY_URL` names. */
export default async function setup(): Promise<void> {
  (globalThis as { [END]?: () => Promise<void> })[END] = await shareServer();
}

/** Jest's `globalTeardown`. */
export async function teardown(): Promise<void> {
  await (globalThis as { [END]?: () => Promise<void> })[END]?.();
}
