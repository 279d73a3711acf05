import { sessionStore, type Persona, type Session } from './session.js';
import { useStore } from '../kit/store.js';
import type { Team } from './wire.js';

export interface CurrentUser {
  /** The person this tab acts as. */
  readonly id: string;
  readonly name: string;
  readonly team: Team;
  readonly methods: 'core' | 'all';
  /** The rights of the signed-in person: sections that inspect the workspace use these. */
  readonly isAdmin: boolean;
  readonly session: Session;
  readonly persona: Persona | null;
}

/** The current person; only used below the sign-in. */
export function useCurrentUser(): CurrentUser {
  const state = useStore(sessionStore);
  if (state.kind !== 'in') throw new Error('nobody is signed in');
  const { session, persona } = state;
  return {
    id: persona?.id ?? session.user.id,
    name: persona?.realName ?? (session.user.real_name || session.user.name),
    team: session.team,
    methods: session.methods,
    isAdmin: session.role !== 'member',
    session,
    persona,
  };
}
