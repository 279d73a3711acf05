import { useEffect } from 'react';
import { keepPreviousData, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
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
    let isWanted = false;
    let withFacts = false;
    let isLooking = false;
    let isOver = false;
    // one look after the other: a look that the next one cut short would never end while a lot happens
    const look = async (facts: boolean): Promise<void> => {
      isWanted = true;
      withFacts ||= facts;
      if (isLooking) return;
      isLooking = true;
      while (isWanted && !isOver) {
        await new Promise((passed) => setTimeout(passed, TOGETHER_MS));
        const all = withFacts;
        isWanted = withFacts = false;
        await client.invalidateQueries({
          queryKey: ['tracker', team.id, id],
          predicate: ({ queryKey }) => all || queryKey[3] !== 'facts',
        });
      }
      isLooking = false;
    };
    const stops = [
      onEvent(({ type }) => OF_TRACKER.test(type) && void look(OF_FACTS.test(type))),
      onReconnect(() => void look(true)),
    ];
    return () => {
      isOver = true;
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
    // while a filter is typed, what was found before stays
    placeholderData: keepPreviousData,
  });
}

/** Asks again at once, after an act of one's own. */
export function useLookAgain(): () => Promise<void> {
  const { id, team } = useCurrentUser();
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: ['tracker', team.id, id] });
}
