import { useRef, useSyncExternalStore } from 'react';

/** A value that components follow. */
export class Store<T> {
  private readonly listeners = new Set<() => void>();

  constructor(private value: T) {}

  get = (): T => this.value;

  set(next: T): void {
    if (Object.is(next, this.value)) return;
    this.value = next;
    for (const listener of this.listeners) listener();
  }

  /** Whether a component shows it now. */
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

/** A value that is followed only `while` it is shown: until then it stays what it was. */
export function useStoreWhile<T>(store: Store<T>, isShown: boolean): T {
  const last = useRef(store.get());
  const value = useSyncExternalStore(isShown ? store.subscribe : nothing, () => (isShown ? store.get() : last.current));
  last.current = value;
  return value;
}
