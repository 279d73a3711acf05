import { useEffect } from 'react';
import { Store, useStore } from './store.js';

/** When something keeps the first screen from being drawn, what waits for it goes on after this. */
const AT_MOST_MS = 3_000;

const AFTER_MS = 50;

/** Whether the page shows what it was opened for. What nobody waits for is asked for after that. */
const isDrawn = new Store(false);
setTimeout(() => isDrawn.set(true), AT_MOST_MS);

export const useFirstScreen = (): boolean => useStore(isDrawn);

/** This part of the page is what it was opened for, once it `isReady`. */
export function useAsFirstScreen(isReady = true): void {
  useEffect(() => {
    if (!isReady || isDrawn.get()) return;
    // the frame that shows it goes first, and what it takes to draw it
    requestAnimationFrame(() => setTimeout(() => isDrawn.set(true), AFTER_MS));
  }, [isReady]);
}
