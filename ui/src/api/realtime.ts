import { io, type Socket } from 'socket.io-client';
import { basePath } from './base.js';
import { me, personaToken } from './persona.js';
import { Store } from '../kit/store.js';

export type Connection = 'connecting' | 'live' | 'offline';

/** An event from the server: its kind and its data. */
export type RealtimeEvent = { readonly type: string; readonly [key: string]: unknown };

type Listener = (event: RealtimeEvent) => void;

export const connection = new Store<Connection>('connecting');

/** Since when the connection has been down; null while it is up. */
export const offlineSince = new Store<number | null>(null);

/** A tab that was hidden this long reloads what it may have missed: browsers suspend hidden tabs. */
const LONG_HIDDEN_MS = 60_000;

const listeners = new Set<Listener>();
const reconnected = new Set<() => void>();
const hearing = new Set<(channel?: string) => void>();

/** Subscribes to the events of the person this tab acts as. */
export const onEvent = (listener: Listener): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Called when the connection is back: whatever happened meanwhile has to be loaded. */
export const onReconnect = (listener: () => void): (() => void) => {
  reconnected.add(listener);
  return () => reconnected.delete(listener);
};

/**
 * Called when events arrive from now on, of everything or of one channel: anything loaded before may be out of date.
 */
export const onHearing = (listener: (channel?: string) => void): (() => void) => {
  hearing.add(listener);
  return () => hearing.delete(listener);
};

const subscribe = (socket: Socket, channel: string): void => {
  socket.emit('subscribe', { channel }, () => {
    for (const listener of hearing) listener(channel);
  });
};

/** Connects as the person this tab acts as. Returns a function that disconnects. */
export function connect(): () => void {
  let wasConnected = false;
  const socket: Socket = io(window.location.origin, {
    path: `${basePath()}/socket.io`,
    transports: ['websocket', 'polling'],
    tryAllTransports: true,
    reconnectionDelay: 300,
    reconnectionDelayMax: 4_000,
    auth: (give) =>
      void personaToken().then(
        (token) => give({ token, team_id: me().teamId }),
        () => give({}),
      ),
  });
  connection.set('connecting');
  socket.on('connect', () => {
    connection.set('live');
    offlineSince.set(null);
    for (const channel of heard.keys()) subscribe(socket, channel);
    for (const listener of hearing) listener();
    if (wasConnected) for (const listener of reconnected) listener();
    wasConnected = true;
  });
  const isAway = (): void => {
    connection.set('offline');
    offlineSince.set(offlineSince.get() ?? Date.now());
  };
  socket.on('disconnect', (reason) => {
    isAway();
    // closed by the server because the token expired: connect again with a new one
    if (reason === 'io server disconnect') setTimeout(() => socket.connect(), 1_000);
  });
  socket.on('connect_error', () => {
    isAway();
    if (!socket.active) setTimeout(() => socket.connect(), 4_000);
  });
  socket.onAny((type: string, event: Record<string, unknown>) => {
    for (const listener of listeners) listener({ ...event, type });
  });
  let hiddenAt: number | null = null;
  const wake = (): void => {
    if (document.visibilityState !== 'visible') {
      hiddenAt = Date.now();
      return;
    }
    const wasLong = hiddenAt !== null && Date.now() - hiddenAt > LONG_HIDDEN_MS;
    hiddenAt = null;
    if (!socket.connected) socket.connect();
    else if (wasLong) {
      for (const listener of hearing) listener();
      for (const listener of reconnected) listener();
    }
  };
  window.addEventListener('online', wake);
  document.addEventListener('visibilitychange', wake);
  active = socket;
  return () => {
    window.removeEventListener('online', wake);
    document.removeEventListener('visibilitychange', wake);
    active = undefined;
    offlineSince.set(null);
    socket.close();
  };
}

let active: Socket | undefined;

/** How many parts of the page listen to each public channel that this person is not a member of. */
const heard = new Map<string, number>();

/** Listens to a public channel without being a member, from now or from when the connection is up. */
export function listenTo(channel: string): () => void {
  heard.set(channel, (heard.get(channel) ?? 0) + 1);
  if (active?.connected) subscribe(active, channel);
  return () => {
    const left = (heard.get(channel) ?? 1) - 1;
    if (left > 0) return void heard.set(channel, left);
    heard.delete(channel);
    active?.emit('unsubscribe', { channel });
  };
}
