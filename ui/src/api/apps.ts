import { useMemo } from 'react';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useFirstScreen } from '../kit/first-screen.js';
import { rest } from './client.js';
import type { Command, Json } from './wire.js';

export interface App {
  id: string;
  name: string;
  /** Null: it was never installed. */
  bot_id: string | null;
  bot_user_id: string | null;
  scopes: { bot: string[]; user: string[] };
  interactivity_url: string | null;
  manifest?: Json;
  creator: string;
  created: number;
  /** Null: a guest, which is registered in another workspace. */
  client_id: string | null;
  distributed: boolean;
  installed: boolean;
  redirect_urls: string[];
  socket_mode?: string;
}

/** What an app is to people who talk to it; null: an app like any other. An app made without a manifest is both. */
export type AgentView = 'agent' | 'assistant' | 'both' | null;

type Features = Readonly<Record<string, Json | undefined>>;

const featuresOf = (app: App | undefined): Features => (app?.manifest?.['features'] ?? {}) as Features;

/** docs/reference/control-plane.md#apps */
export function agentViewOf(app: App | undefined): AgentView {
  const features = featuresOf(app);
  if (features['agent_view']) return 'agent';
  if (features['assistant_view']) return 'assistant';
  return app?.socket_mode === 'auto' ? 'both' : null;
}

/** What the manifest says of an agent or assistant, and what people are offered to say to it. */
export function agentTextsOf(app: App | undefined): { description: string; prompts: readonly Json[] } {
  const features = featuresOf(app);
  const view = features['agent_view'] ?? features['assistant_view'];
  const description = view?.['agent_description'] ?? view?.['assistant_description'];
  const prompts = view?.['suggested_prompts'];
  return {
    description: typeof description === 'string' ? description : '',
    prompts: Array.isArray(prompts) ? (prompts as Json[]) : [],
  };
}

/** Reads all pages of a list of the control plane. */
export async function everything<T>(path: string, key: string, most = 1_000): Promise<T[]> {
  const all: T[] = [];
  for (let cursor = ''; ;) {
    const query = `limit=200${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
    const page = await rest<Record<string, unknown>>(`GET ${path}${path.includes('?') ? '&' : '?'}${query}`);
    all.push(...((page[key] as T[] | undefined) ?? []));
    cursor = String(page['next_cursor'] ?? '');
    if (cursor === '' || all.length >= most) return all;
  }
}

export const useApps = (): UseQueryResult<App[]> =>
  useQuery({ enabled: useFirstScreen(), queryKey: ['apps'], queryFn: () => everything<App>('/apps', 'apps') });

/** Where an app receives clicks; undefined when that is unknown. */
export const clicksGoTo = async (appId: string | undefined): Promise<string | undefined> => {
  const apps = await everything<App>('/apps', 'apps').catch(() => []);
  return apps.find((app) => app.id === appId)?.interactivity_url ?? undefined;
};

export const useCommands = (): UseQueryResult<Command[]> =>
  useQuery({
    enabled: useFirstScreen(),
    queryKey: ['commands'],
    queryFn: () => everything<Command>('/commands', 'commands'),
    staleTime: 30_000,
  });

/** Names of apps by their ids. */
export function useAppNames(): ReadonlyMap<string, string> {
  const { data } = useApps();
  return useMemo(() => new Map((data ?? []).map((app) => [app.id, app.name])), [data]);
}
