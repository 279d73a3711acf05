import { describe, expect, it } from 'vitest';
import { decodeCursor, encodeCursor, readCursor } from '../../../src/messaging/rpc/cursor.js';

const refused = expect.objectContaining({ code: 'invalid_cursor' }) as Error;
const text = (plain: string) => Buffer.from(plain).toString('base64');

describe('cursors', () => {
  it('are decoded to what was encoded, in standard padded base64', () => {
    expect(encodeCursor('team', 'C0RANDOM001')).toBe('dGVhbTpDMFJBTkRPTTAwMQ==');
    expect(decodeCursor('team', 'dGVhbTpDMFJBTkRPTTAwMQ==')).toBe('C0RANDOM001');
    expect(decodeCursor('next_ts', encodeCursor('next_ts', 1767225600000100))).toBe(1767225600000100);
    expect(decodeCursor('user_id', encodeCursor('user_id', '1767225600000100:U0ADMINUSER'))).toBe(
      '1767225600000100:U0ADMINUSER',
    );
    expect(decodeCursor('page', encodeCursor('page', 0))).toBe(0);
  });

  it('are valid for one method only', () => {
    expect(() => decodeCursor('reply_ts', encodeCursor('next_ts', 1))).toThrow(refused);
    expect(() => decodeCursor('user', encodeCursor('user_id', 'U0ADMINUSER'))).toThrow(refused);
  });

  it.each([
    '',
    '*',
    'nonsense',
    'dGVhbTpDMFJBTkRPTTAwMQ',
    'dGVhbTpDMFJBTkRPTTAwMR==',
    ' dGVhbTpDMFJBTkRPTTAwMQ==',
    'dGVhbTpDMFJBTkRPTTAwMQ==\n',
    text('team:'),
    text('team'),
    text('Team:C1'),
    text("team:C1' OR 1"),
    text('team:C1\0'),
    text('team:é'),
    text('x'.repeat(5000)),
    '='.repeat(4),
    '\0',
  ])('are refused: %j', (cursor) => {
    expect(() => decodeCursor('team', cursor)).toThrow(refused);
    expect(readCursor('team', cursor)).toBeUndefined();
  });

  it.each(['', '-1', '1.5', '01', '1e3', 'NaN', '99999999999999999', ' 1', '0x1'])(
    'are refused with the number %j',
    (number) => {
      expect(readCursor('next_ts', text(`next_ts:${number}`))).toBeUndefined();
    },
  );
});
