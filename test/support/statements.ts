import { DataSource } from 'typeorm';
import { vi } from 'vitest';
import type { TestApp } from './app.js';

interface Pool {
  readonly Client: { readonly prototype: { query(sent: unknown): unknown } };
}

/** The names of the statements that reach the database during `work`, over all connections, in order. */
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
