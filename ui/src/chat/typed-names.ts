import { useMemo } from 'react';
import { conversations } from '../api/conversations.js';
import { directory } from '../api/directory.js';
import { useStore } from '../kit/store.js';
import type { Names } from '../text/mentions.js';

/** People and channels by the names that a person types for them. */
export function useTypedNames(): Names {
  const users = useStore(directory);
  const list = useStore(conversations);
  return useMemo(
    () => ({
      users: new Map(
        [...users.values()].filter((user) => !user.deleted).map((user) => [user.name.toLowerCase(), user.id]),
      ),
      channels: new Map(
        (list ?? []).flatMap((one) => (one.is_channel && one.name !== undefined ? [[one.name, one.id] as const] : [])),
      ),
    }),
    [users, list],
  );
}
