import { useRef, useSyncExternalStore } from 'react';

/** A value that components subscribe to. */
export class Store<T> {
  private readonly listeners = new Set<() => void>();

  constructor(private value: T) {}

  get = (): T => this.value;

  set(next: T): void {
    if (Object.is(next, this.value)) return;
    this.value = next;
    for (const listener of this.listeners) listener();
  }

  /** Whether any component uses it now. */
  get isFollowed(): boolean {
    return this.listeners.size > 0;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };
}

export const useStore = <T>(store: Store<T>): T => useSyncExternalStore(store.subscribe, store.get);

const nothing = (): (() => void) => () => undefined;

/** Follows the store only while `isShown`; meanwhile the last value is kept. */
export function useStoreWhile<T>(store: Store<T>, isShown: boolean): T {
  const last = useRef(store.get());
  const value = useSyncExternalStore(isShown ? store.subscribe : nothing, () => (isShown ? store.get() : last.current));
  last.current = value;
  return value;
}
