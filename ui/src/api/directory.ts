import { call } from './client.js';
import { trackPersona } from './persona.js';
import { onEvent, onReconnect } from './realtime.js';
import { Store } from '../kit/store.js';
import type { User } from './wire.js';

/** The people and bots of the workspace, by id. */
export const directory = new Store<ReadonlyMap<string, User>>(new Map());

const asked = new Set<string>();

interface Page {
  members: User[];
  response_metadata?: { next_cursor?: string };
}

function add(users: readonly User[]): void {
  const next = new Map(directory.get());
  for (const user of users) next.set(user.id, user);
  directory.set(next);
}

/** Loads all users; resolves with the first page, the rest follows. */
export async function loadDirectory(): Promise<void> {
  asked.clear();
  directory.set(new Map());
  const cursor = await loadPage('');
  void (async () => {
    for (let next = cursor; next !== '';) next = await loadPage(next);
  })().catch(() => undefined);
}

async function loadPage(cursor: string): Promise<string> {
  const isSame = trackPersona();
  const page = await call<Page>('users.list', { limit: 1_000, ...(cursor === '' ? {} : { cursor }) });
  if (!isSame()) return '';
  add(page.members);
  return page.response_metadata?.next_cursor ?? '';
}

/** Loads a user that the list did not have, once. */
export function lookUp(id: string): void {
  if (asked.has(id) || directory.get().has(id) || !/^[UW][A-Z0-9]{8,}$/.test(id) || id === 'USLACKBOT') return;
  asked.add(id);
  const isSame = trackPersona();
  call<{ user: User }>('users.info', { user: id })
    .then(({ user }) => isSame() && add([user]))
    .catch(() => undefined);
}

export const followDirectory = (): (() => void) => {
  const stops = [
    onEvent((event) => {
      if (event.type === 'user_change' || event.type === 'team_join') add([event['user'] as User]);
      else if (event.type === 'presence_change') {
        const user = directory.get().get(String(event['user']));
        if (user) add([{ ...user, presence: String(event['presence']) }]);
      } else if (event.type === 'sandbox_reset') void loadDirectory();
    }),
    onReconnect(() => void loadDirectory().catch(() => undefined)),
  ];
  return () => stops.forEach((stop) => stop());
};

/** A person's real name; where there is none, the name that they chose, or the handle. */
export const displayName = (user: User | undefined): string | undefined =>
  user && (user.profile.real_name || user.real_name || user.profile.display_name || user.name);

/** The full name, for lists of people. */
export const fullName = (user: User): string => user.profile.real_name || user.real_name || user.name;
