import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useAppNames } from '../api/apps.js';
import { rest } from '../api/client.js';
import { useCurrentUser } from '../api/current-user.js';
import { Skeleton } from '../kit/misc.js';
import { ARROWS, directionOf, keysOf, nameOf, outcomeOf, startOf, whoOf, type Entry } from './entries.js';
import styles from './entry.module.css';

/** Related entries: a call, its events, their deliveries. */
export function Related({ entry, onOpen }: { entry: Entry; onOpen: (id: string) => void }): ReactNode {
  const { team } = useCurrentUser();
  const apps = useAppNames();
  const keys = keysOf(entry);
  const found = useQuery({
    queryKey: ['related', team.id, entry.id],
    queryFn: () => relatedOf(keys, entry),
    enabled: keys.length > 0,
    retry: false,
  });
  if (keys.length === 0) return <p className={styles.none}>Nothing else is related to it.</p>;
  if (found.isPending) return <Skeleton rows={4} />;
  const all = found.data ?? [entry];
  const start = Math.min(...all.map(startOf));
  const span = Math.max(1, Math.max(...all.map((one) => startOf(one) + (one.ms ?? 0))) - start);
  return (
    <ol className={styles.related}>
      {all.map((one) => {
        const outcome = outcomeOf(one);
        const left = ((startOf(one) - start) / span) * 100;
        const width = Math.max(1.5, Math.min(100 - left, ((one.ms ?? 0) / span) * 100));
        return (
          <li key={one.id}>
            <button
              type="button"
              className={`${styles.relatedRow} ${one.id === entry.id ? styles.current : ''}`}
              onClick={() => onOpen(one.id)}
            >
              <span aria-hidden>{ARROWS[directionOf(one)]}</span>
              <span className={styles.relatedName}>
                {one.kind} {nameOf(one)}
              </span>
              <span className={styles.relatedWho}>{whoOf(one, apps)}</span>
              <span className={styles[outcome.tone]}>{outcome.words}</span>
              <span className={styles.axis} aria-hidden>
                <span
                  ref={(element) => {
                    element?.style.setProperty('left', `${left}%`);
                    element?.style.setProperty('width', `${width}%`);
                  }}
                />
              </span>
            </button>
          </li>
        );
      })}
    </ol>
  );
}

/** Entries that share an id; two requests, as a delivery leads to its event and the event to the call. */
async function relatedOf(keys: readonly string[], entry: Entry): Promise<Entry[]> {
  const all = new Map<string, Entry>();
  const asked = new Set<string>();
  let wanted = [...keys];
  for (let round = 0; round < 2 && wanted.length > 0; round++) {
    for (const key of wanted.slice(0, 6)) {
      asked.add(key);
      const query = new URLSearchParams({ text: key, order: 'desc', limit: '60', view: 'full' });
      const page = await rest<{ entries: Entry[] }>(`GET /sandboxes/self/timeline?${query.toString()}`);
      for (const one of page.entries) if (keysOf(one).some((id) => id === key)) all.set(one.id, one);
    }
    wanted = [...new Set([...all.values()].flatMap(keysOf))].filter((key) => !asked.has(key));
  }
  all.set(entry.id, entry);
  return [...all.values()].sort((a, b) => startOf(a) - startOf(b));
}
