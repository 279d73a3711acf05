import { rest } from '../api/client.js';
import { me } from '../api/persona.js';
import { onEvent, onReconnect } from '../api/realtime.js';
import { Store } from '../kit/store.js';
import type { Message } from '../api/wire.js';
import type { View } from './views.js';
import { showEphemerals } from './windows.js';

/** An assistant's status in a thread: docs/reference/acting.md#screen */
export interface AssistantThread {
  readonly channel: string;
  readonly thread_ts: string | null;
  readonly status: string;
  readonly title: string | null;
  readonly prompts: readonly { readonly title: string; readonly message: string }[] | null;
}

/** What apps show only this person. */
export interface Screen {
  readonly modals: readonly View[];
  readonly home: Readonly<Record<string, View>>;
  readonly ephemeral: readonly Message[];
  readonly assistant: readonly AssistantThread[];
}

const NOTHING: Screen = { modals: [], home: {}, ephemeral: [], assistant: [] };

export const screen = new Store<Screen>(NOTHING);

let asking: Promise<void> | undefined;
let again = false;

/** Loads it. Calls during a load are merged into one more load afterwards. */
export function refreshScreen(): Promise<void> {
  if (asking) {
    again = true;
    return asking;
  }
  asking = ask().finally(() => {
    asking = undefined;
    if (!again) return;
    again = false;
    void refreshScreen();
  });
  return asking;
}

async function ask(): Promise<void> {
  const who = me().id;
  try {
    const now = await rest<Screen & Record<string, unknown>>('GET /act/screen', { as: 'persona' });
    if (me().id !== who) return;
    screen.set(now);
    showEphemerals(now.ephemeral);
  } catch {
    // the next change loads it again
  }
}

/** Keeps it up to date. Returns a function that stops this. */
export function followScreen(): () => void {
  screen.set(NOTHING);
  void refreshScreen();
  const stops = [
    onEvent((event) => {
      if (event.type === 'screen_changed' || event.type === 'sandbox_reset') void refreshScreen();
    }),
    onReconnect(() => void refreshScreen()),
  ];
  return () => stops.forEach((stop) => stop());
}
