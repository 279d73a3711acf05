import type { QueryClient } from '@tanstack/react-query';
import { forgetConversations, loadConversations } from '../api/conversations.js';
import { loadDirectory } from '../api/directory.js';
import { me } from '../api/persona.js';
import { sessionStore } from '../api/session.js';
import { forgetUsergroups } from '../api/usergroups.js';
import { channelWindow, forgetWindows } from '../chat/windows.js';

/** How long the first screen waits for these requests; what takes longer is filled in afterwards. */
const AT_MOST_MS = 300;

const MESSAGES = 'api/conversations.history ';

let current = '';
let loading: Promise<unknown> | undefined;
let team = '';

/** When the tab acts as another person, that person's data is dropped; in another workspace everything is. */
export function enterWorkspace(client: QueryClient, teamId: string, meId: string): void {
  const key = `${teamId}:${meId}`;
  if (team !== teamId) client.clear();
  team = teamId;
  if (current === key) return;
  current = key;
  loading = undefined;
  forgetWindows(meId);
  forgetConversations();
  forgetUsergroups();
}

/** Loads the workspace's data, once per workspace and person. */
export const loadWorkspace = (): Promise<unknown> =>
  (loading ??= Promise.allSettled([loadConversations(), loadDirectory()]));

export function leaveWorkspace(teamId: string, meId: string): void {
  if (current === `${teamId}:${meId}`) current = '';
}

/** Waits for the requests that the page made by itself, so that the first screen is rendered once with all of them. */
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
