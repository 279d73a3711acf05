import { brokenRule } from '../values/errors.js';
import type { Viewer } from './viewer.js';

/** The application that made something as itself, as the wire shows it (docs/reference/tracker-oauth.md#actors). */
export interface BotActor {
  readonly id: string;
  readonly type: 'oauthClient';
  readonly name: string;
  readonly subType: null;
  readonly avatarUrl: string | null;
  /** The person of another service for whom it acts. */
  readonly userDisplayName: string | null;
}

/** For whom an application says that it acts. */
export interface ActingFor {
  readonly createAsUser?: string | null;
  readonly displayIconUrl?: string | null;
}

/** What shows on things that the caller makes; null for people. @throws brokenRule for people who name somebody else */
export function botActorOf({ oauth }: Viewer, { createAsUser, displayIconUrl }: ActingFor): BotActor | null {
  const hasName = typeof createAsUser === 'string';
  const isApp = oauth?.actor === 'app';
  if ((hasName && !isApp) || (typeof displayIconUrl === 'string' && !(hasName && isApp)))
    throw brokenRule('createAsUser is only available in actor=app mode');
  if (!isApp) return null;
  return {
    id: oauth.applicationId,
    type: 'oauthClient',
    name: oauth.applicationName,
    subType: null,
    avatarUrl: displayIconUrl ?? oauth.imageUrl,
    userDisplayName: createAsUser ?? null,
  };
}
