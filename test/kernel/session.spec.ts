import type { Pool } from 'pg';
import { describe, expect, it } from 'vitest';
import { checkPooler } from '../../src/kernel/database/session.js';

describe('checkPooler', () => {
  it('releases its connection when it cannot get another, so that the start can fail', async () => {
    let connected = 0;
    let released = 0;
    const pool = {
      connect: async () => {
        if (++connected === 2) throw new Error('Connection terminated due to connection timeout');
        return { release: () => void released++ };
      },
    };
    await expect(checkPooler(pool as unknown as Pool)).rejects.toThrow('connection timeout');
    expect([connected, released]).toEqual([2, 1]);
  });
});
