import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { call } from '../api/client.js';
import { me } from '../api/persona.js';
import { useFirstScreen } from '../kit/first-screen.js';

async function membersOf(channel: string): Promise<string[]> {
  const all: string[] = [];
  for (let cursor = ''; ;) {
    const page = await call<{ members: string[]; response_metadata?: { next_cursor?: string } }>(
      'conversations.members',
      {
        channel,
        limit: 999,
        ...(cursor === '' ? {} : { cursor }),
      },
    );
    all.push(...page.members);
    cursor = page.response_metadata?.next_cursor ?? '';
    if (cursor === '' || all.length >= 20_000) return all;
  }
}

/** The members of a conversation, loaded on demand. */
export function useMembers(channel: string): { data: string[] | undefined; ids: ReadonlySet<string>; error: unknown } {
  const { data, error } = useQuery({
    enabled: useFirstScreen(),
    queryKey: ['members', channel, me().id],
    queryFn: () => membersOf(channel),
    staleTime: 30_000,
    retry: false,
  });
  const ids = useMemo(() => new Set(data ?? []), [data]);
  return { data, ids, error };
}
