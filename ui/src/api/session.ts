import { urlOf } from './base.js';
import { ApiError } from './errors.js';
import { Store } from '../kit/store.js';
import type { SessionAnswer } from './wire.js';

declare global {
  interface Window {
    firstSession?: Promise<Response>;
    firstSessionByLink?: boolean;
  }
}

/** The signed-in session. The token is only in this tab's memory. */
export interface Session extends SessionAnswer {
  /** When to renew the token: at 80 % of its lifetime. */
  readonly renewAt: number;
}

/** Another person that this tab acts as. */
export interface Persona {
  readonly id: string;
  readonly name: string;
  readonly realName: string;
  readonly token: string;
  readonly renewAt: number;
}

export type SessionState =
  | { readonly kind: 'starting' }
  | { readonly kind: 'out'; readonly reason?: string }
  | { readonly kind: 'in'; readonly session: Session; readonly persona: Persona | null };

export const sessionStore = new Store<SessionState>({ kind: 'starting' });

const withRenewal = (answer: SessionAnswer): Session => ({
  ...answer,
  renewAt: Date.now() + answer.expiresIn * 800,
});

async function read(response: Response): Promise<SessionAnswer> {
  const body = (await response.json().catch(() => ({}))) as SessionAnswer & { message?: string | string[] };
  if (!response.ok) {
    const { message } = body;
    const [code = 'internal_error'] = Array.isArray(message) ? message : [message];
    const wait = response.headers.get('retry-after');
    throw new ApiError(code, response.status, Array.isArray(message) ? message : [], wait ? Number(wait) : undefined);
  }
  return body;
}

async function ask(verb: string, body: object): Promise<SessionAnswer> {
  const response = await fetch(urlOf(`api/ui/session/${verb}`), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => {
    throw new ApiError('offline', 0);
  });
  return read(response);
}

function enter(answer: SessionAnswer): Session {
  const session = withRenewal(answer);
  const before = sessionStore.get();
  const samePerson =
    before.kind === 'in' && before.session.team.id === answer.team.id && before.session.user.id === answer.user.id;
  sessionStore.set({ kind: 'in', session, persona: samePerson ? before.persona : null });
  return session;
}

/** The request that the page made before the bundle was loaded. */
export async function startSession(): Promise<{ to?: string | undefined }> {
  const first = window.firstSession;
  delete window.firstSession;
  try {
    if (!first) throw new ApiError('not_authed', 401);
    const answer = await read(
      await first.catch(() => {
        throw new ApiError('offline', 0);
      }),
    );
    enter(answer);
    return { to: answer.to };
  } catch (error) {
    const code = error instanceof ApiError ? error.code : 'offline';
    sessionStore.set(code === 'not_authed' ? { kind: 'out' } : { kind: 'out', reason: code });
    return {};
  }
}

export const login = async (body: { email: string; password: string; team_id?: string }): Promise<Session> =>
  enter(await ask('login', body));

export const signup = async (body: { email: string; password: string; name?: string }): Promise<Session> =>
  enter(await ask('signup', body));

export const followLink = async (key: string): Promise<Session> => enter(await ask('link', { key }));

/** Switches to another workspace that this browser is signed in to. */
export const switchTeam = async (teamId: string): Promise<Session> => enter(await ask('refresh', { team_id: teamId }));

export async function signOut(teamId?: string): Promise<void> {
  await ask('logout', teamId === undefined ? {} : { team_id: teamId }).catch(() => undefined);
  sessionStore.set({ kind: 'out' });
}

let renewal: Promise<Session> | undefined;

/** Renews the token; calls made meanwhile share one renewal. */
export function renew(): Promise<Session> {
  const state = sessionStore.get();
  if (state.kind !== 'in') return Promise.reject(new ApiError('not_authed', 401));
  renewal ??= ask('refresh', { team_id: state.session.team.id })
    .then(enter)
    .catch((error: unknown) => {
      if (error instanceof ApiError && (error.status === 401 || error.status === 404)) {
        sessionStore.set({ kind: 'out', reason: error.code });
      }
      throw error;
    })
    .finally(() => (renewal = undefined));
  return renewal;
}

/** The signed-in person's token, renewed if needed. */
export async function ownToken(): Promise<string> {
  const state = sessionStore.get();
  if (state.kind !== 'in') throw new ApiError('not_authed', 401);
  return Date.now() < state.session.renewAt ? state.session.accessToken : (await renew()).accessToken;
}

/** The session was ended elsewhere. */
export function ended(reason: string): void {
  sessionStore.set({ kind: 'out', reason });
}
