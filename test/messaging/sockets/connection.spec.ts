import { EventEmitter } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import type { WebSocket } from 'ws';
import { Connection } from '../../../src/messaging/sockets/connection.js';

/** The client's socket, as a connection uses it. */
class FarEnd extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  bufferedAmount = 0;
  readonly sent: string[] = [];
  readonly pings: string[] = [];
  ended: number | 'terminated' | undefined;
  paused = 0;
  isPaused = false;

  send(text: string): void {
    this.sent.push(text);
  }
  ping(payload: string): void {
    this.pings.push(payload);
    this.emit('pong');
  }
  pause(): void {
    this.paused++;
    this.isPaused = true;
  }
  resume(): void {
    this.isPaused = false;
  }
  close(code: number): void {
    this.end(code);
  }
  terminate(): void {
    this.end('terminated');
  }
  private end(how: number | 'terminated'): void {
    if (this.ended !== undefined) return;
    this.ended = how;
    this.readyState = 3;
    this.emit('close');
  }
  types(): string[] {
    return this.sent.map((text) => {
      const { type, reason } = JSON.parse(text) as { type: string; reason?: string };
      return reason ?? type;
    });
  }
}

/** Runs a synchronous check with fake timers, so that nothing else of this process runs in between. */
function inFakeTime(lifetimeSeconds: number, check: (connection: Connection, far: FarEnd, acks: string[]) => void) {
  return () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
    try {
      const far = new FarEnd();
      const owner = { id: '1', appId: 'A0APP000001', workspaceId: 'T0TEAM00001', tenantId: 1, ids: null };
      const acks: string[] = [];
      const connection = new Connection(owner, far as unknown as WebSocket, 'applink-1a2b3c4d', lifetimeSeconds, {
        onAck: (_, id) => acks.push(id),
        onRoom: () => undefined,
        onClose: () => undefined,
      });
      connection.hello(1);
      check(connection, far, acks);
    } finally {
      vi.useRealTimers();
    }
  };
}

// docs/reference/socket-mode.md#disconnecting, docs/reference/socket-mode.md#delivery
describe('the timing of a Socket Mode connection', () => {
  it(
    'sends a warning 10 s before the end of its lifetime, refresh_requested at the end, and closes 10 s later; acks are read until then',
    inFakeTime(60, (connection, far, acks) => {
      expect(JSON.parse(far.sent[0] as string)).toMatchObject({
        debug_info: { approximate_connection_time: connection.lifetimeSeconds },
      });
      const life = connection.lifetimeSeconds * 1_000;
      expect([life >= 57_000, life <= 60_000]).toEqual([true, true]);
      vi.advanceTimersByTime(life - 10_001);
      expect([far.types(), connection.takes(false)]).toEqual([['hello'], true]);
      vi.advanceTimersByTime(1);
      expect(far.types()).toEqual(['hello', 'warning']);
      expect(JSON.parse(far.sent[1] as string)).toEqual({
        type: 'disconnect',
        reason: 'warning',
        debug_info: { host: 'applink-1a2b3c4d' },
      });
      // new envelopes are accepted only if the app has no other connection
      expect([connection.takes(false), connection.takes(true)]).toEqual([false, true]);
      vi.advanceTimersByTime(10_000);
      expect(far.types()).toEqual(['hello', 'warning', 'refresh_requested']);
      expect([connection.takes(false), connection.takes(true)]).toEqual([false, false]);
      far.emit('message', Buffer.from('{"envelope_id":"late"}'), false);
      expect(acks).toEqual(['late']);
      vi.advanceTimersByTime(9_999);
      expect(far.ended).toBeUndefined();
      vi.advanceTimersByTime(1);
      expect(far.ended).toBe(1000);
    }),
  );

  it(
    'sends no warning with a lifetime below 20 s',
    inFakeTime(19, (connection, far) => {
      vi.advanceTimersByTime(connection.lifetimeSeconds * 1_000);
      expect(far.types()).toEqual(['hello', 'refresh_requested']);
    }),
  );

  it(
    'sends a warning with a lifetime of 20 s, however it was shortened',
    inFakeTime(20, (connection, far) => {
      vi.advanceTimersByTime(connection.lifetimeSeconds * 1_000);
      expect(far.types()).toEqual(['hello', 'warning', 'refresh_requested']);
    }),
  );

  it(
    'stays open without a lifetime',
    inFakeTime(0, (connection, far) => {
      vi.advanceTimersByTime(86_400_000);
      expect([far.types(), far.ended, connection.lifetimeSeconds]).toEqual([['hello'], undefined, 0]);
    }),
  );

  it(
    'pings every 10 s, and closes after 30 s without an answer',
    inFakeTime(0, (_, far) => {
      vi.advanceTimersByTime(30_000);
      expect(far.pings).toEqual(Array.from({ length: 3 }, () => 'Ping from applink-1a2b3c4d'));
      far.ping = () => undefined;
      vi.advanceTimersByTime(30_000);
      expect(far.ended).toBeUndefined();
      vi.advanceTimersByTime(10_000);
      expect(far.ended).toBe('terminated');
    }),
  );

  it(
    'accepts 100 unacknowledged envelopes; one that is acknowledged or 3 s old makes room',
    inFakeTime(0, (connection, far) => {
      for (let n = 0; n < 100; n++) {
        expect(connection.takes(false)).toBe(true);
        connection.send(`${n}`, '{}', 3_000);
      }
      expect([connection.takes(false), connection.takes(true)]).toEqual([false, false]);
      far.emit('message', Buffer.from('{"envelope_id":"7"}'), false);
      expect(connection.takes(false)).toBe(true);
      connection.send('100', '{}', 3_000);
      expect(connection.takes(false)).toBe(false);
      vi.advanceTimersByTime(3_000);
      expect(connection.takes(false)).toBe(true);
    }),
  );

  it(
    'accepts nothing while 4 MiB are unsent, and closes when they stay unsent for 30 s',
    inFakeTime(0, (connection, far) => {
      far.bufferedAmount = 4 * 1024 * 1024 + 1;
      expect(connection.takes(false)).toBe(false);
      vi.advanceTimersByTime(29_000);
      far.bufferedAmount = 0;
      expect(connection.takes(false)).toBe(true);
      far.bufferedAmount = 4 * 1024 * 1024 + 1;
      expect(connection.takes(false)).toBe(false);
      vi.advanceTimersByTime(29_000);
      expect(far.ended).toBeUndefined();
      vi.advanceTimersByTime(12_000);
      expect(far.ended).toBe('terminated');
    }),
  );

  it(
    'reads at most 200 frames a second, and drops none',
    inFakeTime(0, (_, far, acks) => {
      for (let n = 0; n < 199; n++) far.emit('message', Buffer.from(`{"envelope_id":"${n}"}`), false);
      expect(far.isPaused).toBe(false);
      far.emit('message', Buffer.from('{"envelope_id":"199"}'), false);
      expect([far.isPaused, acks.length]).toEqual([true, 200]);
      vi.advanceTimersByTime(1_000);
      expect(far.isPaused).toBe(false);
      far.emit('message', Buffer.from('{"envelope_id":"200"}'), false);
      expect([far.paused, acks.length]).toEqual([1, 201]);
    }),
  );

  it(
    'counts pings and pongs as frames, and pauses once however many have arrived',
    inFakeTime(0, (_, far) => {
      for (let n = 0; n < 199; n++) far.emit('ping', Buffer.from(''));
      expect(far.isPaused).toBe(false);
      for (let n = 0; n < 5_000; n++) far.emit(n % 2 === 0 ? 'ping' : 'pong', Buffer.from(''));
      expect([far.isPaused, far.paused]).toEqual([true, 1]);
      vi.advanceTimersByTime(1_000);
      expect([far.isPaused, far.paused]).toEqual([false, 1]);
    }),
  );

  it(
    'accepts commands with 100 unacknowledged events, but not with 4 MiB unsent',
    inFakeTime(0, (connection, far) => {
      for (let n = 0; n < 100; n++) connection.send(`${n}`, '{}', 3_000);
      expect([connection.takes(true), connection.takesCalls(false)]).toEqual([false, true]);
      far.bufferedAmount = 4 * 1024 * 1024 + 1;
      expect(connection.takesCalls(true)).toBe(false);
    }),
  );

  it(
    'forgets invalid frames after a minute',
    inFakeTime(0, (_, far) => {
      const bad = (): boolean => far.emit('message', Buffer.from('[]'), false);
      for (let n = 0; n < 9; n++) bad();
      vi.advanceTimersByTime(60_001);
      for (let n = 0; n < 9; n++) bad();
      expect(far.ended).toBeUndefined();
      bad();
      expect(far.ended).toBe(1008);
    }),
  );
});
