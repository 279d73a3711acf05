import { expect, it } from 'vitest';
import type { Db } from '../../src/kernel/database/db.js';
import { StoreInfo } from '../../src/kernel/database/store-info.js';
import type { SandboxFlags, SandboxReader } from '../../src/kernel/sandbox/sandbox-flags.js';
import { Turns } from '../../src/kernel/sandbox/turns.js';

/** A sandbox whose clock shows this, and turns that read what the store has. */
const at = (now: number): SandboxFlags => ({ tenantId: 1, time: { offsetMicros: 0, frozenAt: now } }) as SandboxFlags;

it('begins a turn in the sandbox as it is by then, though the caller was known before the last one ended', async () => {
  const stored = { now: 1 };
  const db = { read: () => Promise.resolve([{ flags: String(stored.now) }]) } as unknown as Db;
  const reader = { read: (text: string) => at(Number(text)) } as unknown as SandboxReader;
  const turns = new Turns(db, new StoreInfo(true), reader);
  // both callers were known at first
  const [first, second] = [at(1), at(1)];
  const one = await turns.take(first);
  stored.now = 2;
  await one.end();
  const two = await turns.take(second);
  expect(two.sandbox.time?.frozenAt).toBe(2);
  await two.end();
});
