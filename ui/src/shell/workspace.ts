import type { QueryClient } from '@tanstack/react-query';
import { forgetConversations, loadConversations } from '../api/conversations.js';
import { loadDirectory } from '../api/directory.js';
import { me } from '../api/persona.js';
import { sessionStore } from '../api/session.js';
import { channelWindow, forgetWindows } from '../chat/windows.js';

/** The first screen is drawn without what takes longer. */
const AT_MOST_MS = 300;

const MESSAGES = 'api/conversations.history ';

let current = '';
let loading: Promise<unknown> | undefined;
let team = '';

/** Whoever this tab plays from now on, nothing of the one before is kept; in another workspace nothing at all. */
export function enterWorkspace(client: QueryClient, teamId: string, meId: string): void {
  const key = `${teamId}:${meId}`;
  if (team !== teamId) client.clear();
  team = teamId;
  if (current === key) return;
  current = key;
  loading = undefined;
  forgetWindows(meId);
  forgetConversations();
}

/** Loads who and what there is, once for each that is entered. */
export const loadWorkspace = (): Promise<unknown> =>
  (loading ??= Promise.allSettled([loadConversations(), loadDirectory()]));

export function leaveWorkspace(teamId: string, meId: string): void {
  if (current === `${teamId}:${meId}`) current = '';
}

/**
 * Waits for the answers that the page has asked for by itself: the first screen is drawn once with all of them, instead
 * of anew with each.
 */
export async function firstScreenLoaded(client: QueryClient): Promise<void> {
  const asked = Object.keys(window.firstAnswers ?? {});
  if (sessionStore.get().kind !== 'in' || asked.length === 0) return;
  const { id, teamId } = me();
  enterWorkspace(client, teamId, id);
  const all = [loadWorkspace()];
  const messages = asked.find((key) => key.startsWith(MESSAGES));
  if (messages !== undefined) {
    const { channel } = JSON.parse(messages.slice(MESSAGES.length)) as { channel: string };
    all.push(channelWindow(channel).loadNewest());
  }
  await Promise.race([Promise.all(all), new Promise((resolve) => setTimeout(resolve, AT_MOST_MS))]);
}
