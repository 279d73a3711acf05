import { describe, expect, it } from 'vitest';
import { decodeCursor, encodeCursor } from '../../../src/tracker/graphql/connections.js';

describe('cursors', () => {
  it('are base64url of the sort values and the id', () => {
    const cursor = { k: ['2026-01-01T00:00:00.000Z', null, 3], id: '5b1d7c1e-6a0b-4a57-9d0a-0c2a9a3f6f10' };
    const text = encodeCursor(cursor);
    expect(text).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(decodeCursor(text)).toEqual(cursor);
  });

  it.each(['', 'x', 'bnVsbA', encodeCursor({ k: [], id: 1 as never }), encodeCursor({ k: {} as never, id: 'x' })])(
    'reject %j',
    (text) => {
      expect(decodeCursor(text)).toBeUndefined();
    },
  );
});
