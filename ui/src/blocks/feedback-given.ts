import { readLocal, writeLocal } from '../kit/local-storage.js';
import { keyOf, type Place } from './surface.js';
import type { Json } from '../api/wire.js';

/** The feedback of a person that a browser remembers: what was given last. */
const MOST = 200;

export type Feedback = 'positive_button' | 'negative_button';

const storageKey = (meId: string): string => `feedback:${meId}`;

/** Where it was given; null where it is not remembered. */
const addressOf = (place: Place, block: Json, element: Json): string | null =>
  place.kind === 'message' ? `${place.channel}:${place.ts}:${keyOf(block, element)}` : null;

const all = (meId: string): [string, Feedback][] => readLocal(storageKey(meId), []);

/** What a person pressed, also before the page was loaded: the server tells nobody, as it is the app's to know. */
export function feedbackGiven(meId: string, place: Place, block: Json, element: Json): Feedback | null {
  const address = addressOf(place, block, element);
  return all(meId).find(([at]) => at === address)?.[1] ?? null;
}

export function rememberFeedback(meId: string, place: Place, block: Json, element: Json, given: Feedback): void {
  const address = addressOf(place, block, element);
  if (address === null) return;
  const others = all(meId).filter(([at]) => at !== address);
  writeLocal(storageKey(meId), [[address, given], ...others].slice(0, MOST));
}
