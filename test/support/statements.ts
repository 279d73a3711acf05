import { DataSource } from 'typeorm';
import { vi } from 'vitest';
import type { TestApp } from './app.js';

interface Pool {
  readonly Client: { readonly prototype: { query(sent: unknown): unknown } };
}

/** The named statements that reach the store while something is done, over whichever connection, in their order. */
export async function statementsOf(app: TestApp, work: () => Promise<unknown>): Promise<string[]> {
  const { master: pool } = app.nest.get(DataSource).driver as unknown as { master: Pool };
  const spy = vi.spyOn(pool.Client.prototype, 'query');
  try {
    await work();
    return spy.mock.calls.flatMap(([sent]) => (sent as { name?: string } | undefined)?.name ?? []);
  } finally {
    spy.mockRestore();
  }
}
