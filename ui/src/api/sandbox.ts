import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { rest } from './client.js';
import type { Json } from './wire.js';
import { useFirstScreen } from '../kit/first-screen.js';
import { useCurrentUser } from './current-user.js';

export interface Sandbox {
  id: string;
  name: string;
  labels: Record<string, string>;
  team_id: string;
  url_key: string;
  created: number;
  expires_at: number | null;
  journal: boolean;
  clock: ClockState;
  counts: { users: number; channels: number; messages: number; issues: number };
  snapshots: number;
  faults: number;
  last_call_at: number | null;
  methods: string;
  owner: string | null;
  rate_limit_multiplier?: number | null;
}

export interface ClockState {
  now: string;
  offset_ms: number;
  frozen: boolean;
}

export interface Fault {
  id: string;
  on: { method?: string; app?: string; caller?: string; where?: Json };
  fault: Json & { type: string };
  times: number | null;
  skip: number;
  seen: number;
  fired: number;
  created: number;
}

export interface Snapshot {
  id: string;
  name: string;
  created: number;
  rows: number;
}

/** The sandbox of the signed-in person's workspace. Only loaded for admins. */
function useOwn<T>(
  key: string,
  path: string,
  select: (answer: Record<string, unknown>) => T,
  refetchInterval: number | false = false,
): UseQueryResult<T> {
  const { team, isAdmin } = useCurrentUser();
  const isDrawn = useFirstScreen();
  return useQuery({
    queryKey: [key, team.id],
    queryFn: async () =>
      select(await rest(`GET /sandboxes/self${path}${path.includes('?') ? '&' : '?'}team_id=${team.id}`)),
    enabled: isAdmin && isDrawn,
    retry: false,
    refetchInterval: (query) => (query.state.error ? false : refetchInterval),
  });
}

export const useSandbox = (): UseQueryResult<Sandbox> =>
  useOwn('sandbox', '', (answer) => answer as unknown as Sandbox);
export const useFaults = (): UseQueryResult<Fault[]> =>
  useOwn('faults', '/faults', (answer) => answer['faults'] as Fault[], 10_000);
export const useClock = (): UseQueryResult<ClockState> =>
  useOwn('clock', '/clock', (answer) => answer as unknown as ClockState, 15_000);
export const useSnapshots = (): UseQueryResult<Snapshot[]> =>
  useOwn('snapshots', '/snapshots', (answer) => answer['snapshots'] as Snapshot[]);
export { useOwn };
