import { useEffect } from 'react';
import { Store, useStore } from './store.js';

/** If the first screen does not appear, work deferred until then starts after this time. */
const AT_MOST_MS = 3_000;

const AFTER_MS = 50;

/** Whether the page shows its main content. Work that the first screen does not need starts after that. */
const isDrawn = new Store(false);
setTimeout(() => isDrawn.set(true), AT_MOST_MS);

export const useFirstScreen = (): boolean => useStore(isDrawn);

/** Marks this component as the page's main content, shown once it `isReady`. */
export function useAsFirstScreen(isReady = true): void {
  useEffect(() => {
    if (!isReady || isDrawn.get()) return;
    // the frame that shows it comes first
    requestAnimationFrame(() => setTimeout(() => isDrawn.set(true), AFTER_MS));
  }, [isReady]);
}
