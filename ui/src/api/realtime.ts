import { io, type Socket } from 'socket.io-client';
import { basePath } from './base.js';
import { me, personaToken } from './persona.js';
import { Store } from '../kit/store.js';

export type Connection = 'connecting' | 'live' | 'offline';

/** What the server sends: its kind and the event itself. */
export type RealtimeEvent = { readonly type: string; readonly [key: string]: unknown };

type Listener = (event: RealtimeEvent) => void;

export const connection = new Store<Connection>('connecting');

/** Since when there is no connection; null while there is one. */
export const offlineSince = new Store<number | null>(null);

/** A tab that was hidden this long asks for what it may have missed: browsers let such tabs sleep. */
const LONG_HIDDEN_MS = 60_000;

const listeners = new Set<Listener>();
const reconnected = new Set<() => void>();
const hearing = new Set<(channel?: string) => void>();

/** Hears every event of whoever this tab plays. */
export const onEvent = (listener: Listener): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Hears that the connection came back: what happened meanwhile has to be asked for. */
export const onReconnect = (listener: () => void): (() => void) => {
  reconnected.add(listener);
  return () => reconnected.delete(listener);
};

/**
 * Hears that from now on everything is heard, or everything of one channel: what was read before may lack what happened
 * since.
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

/** Connects as whoever this tab plays; answers how to stop. */
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
    // cut by the server (a token that ended): ask again with a fresh one
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

/** Public channels that are heard without being in them, by how many parts of the page. */
const heard = new Map<string, number>();

/** Hears a public channel without being in it, from now or from when the connection is there. */
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
