import { urlOf } from './base.js';
import { ApiError } from './errors.js';
import { withRetries } from './retries.js';
import { ownToken, sessionStore, type Persona } from './session.js';

const KEY = 'persona';

interface ActAsAnswer {
  access_token: string;
  expires_in: number;
  user: { id: string; name: string; real_name?: string };
}

async function ask(user: string): Promise<Persona> {
  const response = await fetch(urlOf('api/sandboxes/self/act-as'), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${await ownToken()}` },
    body: JSON.stringify({ user }),
  }).catch(() => {
    throw new ApiError('offline', 0);
  });
  const body = (await response.json().catch(() => ({}))) as ActAsAnswer & { message?: string };
  if (!response.ok) throw new ApiError(body.message ?? 'internal_error', response.status);
  return {
    id: body.user.id,
    name: body.user.name,
    realName: body.user.real_name ?? body.user.name,
    token: body.access_token,
    renewAt: Date.now() + body.expires_in * 800,
  };
}

const remember = (teamId: string, id: string | null): void => {
  if (id === null) sessionStorage.removeItem(`${KEY}:${teamId}`);
  else sessionStorage.setItem(`${KEY}:${teamId}`, id);
};

/**
 * Makes this tab act as that person in the chat.
 * @throws ApiError
 */
export async function actAs(user: string): Promise<void> {
  const persona = await ask(user);
  const state = sessionStore.get();
  if (state.kind !== 'in') return;
  remember(state.session.team.id, persona.id);
  sessionStore.set({ ...state, persona });
}

export function stopActing(): void {
  const state = sessionStore.get();
  if (state.kind !== 'in') return;
  remember(state.session.team.id, null);
  sessionStore.set({ ...state, persona: null });
}

/** What says that this person cannot be acted as (any more), rather than that the server is busy or away. */
const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429;

/** After a reload: the person this tab acted as before, who is forgotten only when the server refuses them. */
export async function resumeActing(): Promise<void> {
  const state = sessionStore.get();
  if (state.kind !== 'in') return;
  const { id: teamId } = state.session.team;
  const key = `${KEY}:${teamId}`;
  const user = sessionStorage.getItem(key);
  if (user === null) return;
  // meanwhile somebody else may have been chosen, or nobody
  const isWanted = (): boolean => me().teamId === teamId && sessionStorage.getItem(key) === user;
  await withRetries(async () => isWanted() && actAs(user)).catch((error: unknown) => {
    if (isRefusal(error) && isWanted()) remember(teamId, null);
  });
}

/** The token of the person this tab acts as. */
export async function personaToken(): Promise<string> {
  const state = sessionStore.get();
  if (state.kind !== 'in' || !state.persona) return ownToken();
  if (Date.now() < state.persona.renewAt) return state.persona.token;
  const persona = await ask(state.persona.id);
  const now = sessionStore.get();
  if (now.kind === 'in') sessionStore.set({ ...now, persona });
  return persona.token;
}

/**
 * Tells whether a result is still wanted when it arrives: the tab still acts as the same person in the same workspace.
 */
export function trackPersona(): () => boolean {
  const { id, teamId } = me();
  return () => me().id === id && me().teamId === teamId;
}

/** The person this tab acts as. */
export function me(): { id: string; teamId: string } {
  const state = sessionStore.get();
  if (state.kind !== 'in') return { id: '', teamId: '' };
  return { id: state.persona?.id ?? state.session.user.id, teamId: state.session.team.id };
}
