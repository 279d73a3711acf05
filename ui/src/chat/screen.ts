import { rest } from '../api/client.js';
import { me } from '../api/persona.js';
import { onEvent, onReconnect, type RealtimeEvent } from '../api/realtime.js';
import { Store } from '../kit/store.js';
import type { Message, WorkObject } from '../api/wire.js';
import type { View } from './views.js';
import { showEphemerals } from './windows.js';

/** An assistant's status in a thread: docs/reference/acting.md#screen */
export interface AssistantThread {
  readonly channel: string;
  readonly thread_ts: string | null;
  /** Null for a person without an app. */
  readonly app_id?: string | null;
  readonly status: string;
  /** What is said in turn while the status is shown. */
  readonly loading_messages?: readonly string[];
  /** The name that the app chose for the status. */
  readonly username?: string | null;
  readonly title: string | null;
  readonly prompts: readonly { readonly title: string; readonly message: string }[] | null;
}

/** How a stream ended, or that it did not yet. */
export interface StreamShown {
  readonly channel: string;
  readonly ts: string;
  readonly state: 'open' | 'stopped' | 'expired' | 'stopped_by_user';
}

/** A thread with agents. */
export interface SessionShown {
  readonly channel: string;
  readonly thread_ts: string;
  readonly status: string;
  readonly title: string | null;
  readonly stoppable: boolean;
}

/** What an app presents for a work object that the person opened. */
export interface DetailsShown {
  readonly trigger_id: string;
  readonly metadata?: WorkObject;
  readonly error?: { readonly status: string; readonly custom_title?: string; readonly custom_message?: string };
  readonly user_auth_url?: string;
}

/** What apps show this person besides messages. */
export interface Screen {
  readonly modals: readonly View[];
  readonly home: Readonly<Record<string, View>>;
  readonly ephemeral: readonly Message[];
  readonly assistant: readonly AssistantThread[];
  readonly streams: readonly StreamShown[];
  readonly sessions: readonly SessionShown[];
  readonly details: readonly DetailsShown[];
}

const NOTHING: Screen = { modals: [], home: {}, ephemeral: [], assistant: [], streams: [], sessions: [], details: [] };

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

/** Whether a stream ended, or the session of a thread began or changed: its message says so, but not how or whose. */
function tellsOfAgents(event: RealtimeEvent): boolean {
  if (event.type !== 'message' || event['subtype'] !== 'message_changed') return false;
  const [message, previous] = [event['message'] as Message, event['previous_message'] as Message | undefined];
  const hasEnded = message.streaming_state === 'completed' && previous?.streaming_state === 'in_progress';
  const now = message.agent_session;
  const before = previous?.agent_session;
  return hasEnded || now?.status !== before?.status || now?.title !== before?.title;
}

/** Keeps it up to date. Returns a function that stops this. */
export function followScreen(): () => void {
  screen.set(NOTHING);
  void refreshScreen();
  const stops = [
    onEvent((event) => {
      if (event.type === 'screen_changed' || event.type === 'sandbox_reset' || tellsOfAgents(event))
        void refreshScreen();
    }),
    onReconnect(() => void refreshScreen()),
  ];
  return () => stops.forEach((stop) => stop());
}
