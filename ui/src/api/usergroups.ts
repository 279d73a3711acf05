import { call } from './client.js';
import { trackPersona } from './persona.js';
import { onEvent, onReconnect } from './realtime.js';
import { Store } from '../kit/store.js';

export interface Usergroup {
  readonly id: string;
  readonly handle: string;
  readonly name: string;
  readonly users: readonly string[];
}

/** The user groups of the workspace by id, disabled ones too; they are loaded when a text first names one. */
export const usergroups = new Store<ReadonlyMap<string, Usergroup>>(new Map());

const asked = new Set<string>();

/** Loads the groups once for each id that the list does not have. */
export function lookUpGroup(id: string): void {
  if (asked.has(id) || usergroups.get().has(id) || !/^S[A-Z0-9]{8,}$/.test(id)) return;
  asked.add(id);
  loadUsergroups();
}

/** Loads them anew: no live update tells of a change. */
export function loadUsergroups(): void {
  const isSame = trackPersona();
  call<{ usergroups: Usergroup[] }>('usergroups.list', { include_users: true, include_disabled: true })
    .then((answer) => isSame() && usergroups.set(new Map(answer.usergroups.map((group) => [group.id, group]))))
    .catch(() => undefined);
}

export function forgetUsergroups(): void {
  asked.clear();
  usergroups.set(new Map());
}

export const followUsergroups = (): (() => void) => {
  const stops = [
    onEvent((event) => event.type === 'sandbox_reset' && forgetUsergroups()),
    onReconnect(forgetUsergroups),
  ];
  return () => stops.forEach((stop) => stop());
};
