import { useEffect } from 'react';
import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useCurrentUser } from '../api/current-user.js';
import { onEvent, onReconnect } from '../api/realtime.js';

/** What changes rarely, and every screen knows: it is only asked for again when one of these is heard. */
const OF_FACTS = /^(user|team|label|workflowState|project|cycle|projectStatus)\./;
const OF_TRACKER = /^[a-zA-Z]+\.(created|updated|removed|unresponsive)$/;

/** Events that come together are answered by one look, this many milliseconds after the first. */
const TOGETHER_MS = 80;

/** Keeps what is shown up to date: what the tracker tells makes the queries in use ask again. */
export function useLiveTracker(): void {
  const { id, team } = useCurrentUser();
  const client = useQueryClient();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let withFacts = false;
    const look = (facts: boolean): void => {
      withFacts ||= facts;
      timer ??= setTimeout(() => {
        timer = undefined;
        const all = withFacts;
        withFacts = false;
        void client.invalidateQueries({
          queryKey: ['tracker', team.id, id],
          predicate: ({ queryKey }) => all || queryKey[3] !== 'facts',
        });
      }, TOGETHER_MS);
    };
    const stops = [
      onEvent(({ type }) => OF_TRACKER.test(type) && look(OF_FACTS.test(type))),
      onReconnect(() => look(true)),
    ];
    return () => {
      clearTimeout(timer);
      stops.forEach((stop) => stop());
    };
  }, [client, id, team.id]);
}

/** Something of the tracker as this person sees it, which stays up to date. @param part `facts` for what changes rarely */
export function useTracker<T>(
  part: string,
  key: readonly unknown[],
  load: () => Promise<T>,
  refetchInterval: number | false = false,
): UseQueryResult<T> {
  const { id, team } = useCurrentUser();
  return useQuery({
    queryKey: ['tracker', team.id, id, part, ...key],
    queryFn: load,
    retry: false,
    refetchInterval,
    staleTime: part === 'facts' ? 60_000 : 0,
  });
}

/** Asks again at once, after an act of one's own. */
export function useLookAgain(): () => Promise<void> {
  const { id, team } = useCurrentUser();
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: ['tracker', team.id, id] });
}
