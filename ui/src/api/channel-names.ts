import { useMemo } from 'react';
import { conversations, visited } from './conversations.js';
import { directory, fullName } from './directory.js';
import { useStore } from '../kit/store.js';

/** Names of the conversations that this tab knows, by id: `#war-room`, or the person of a direct message. */
export function useChannelNames(): ReadonlyMap<string, string> {
  const listed = useStore(conversations);
  const open = useStore(visited);
  const people = useStore(directory);
  return useMemo(
    () =>
      new Map(
        [...(listed ?? []), ...open.values()].map(({ id, name, user }) => {
          const person = user === undefined ? undefined : people.get(user);
          return [id, person ? fullName(person) : name === undefined ? id : `#${name}`] as const;
        }),
      ),
    [listed, open, people],
  );
}
