import { useEffect, useRef } from 'react';

/** Where letters are typed, or mean something else. */
const ELSEWHERE = 'input, textarea, select, [contenteditable], [role="dialog"], [role="menu"], [role="listbox"]';

/** Keys of a screen: letters, while nothing is typed and no dialog is open. */
export function useScreenKeys(keys: Readonly<Record<string, () => void>>): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if ((event.target as HTMLElement).closest(ELSEWHERE) || document.querySelector('[role="dialog"]')) return;
      const run = latest.current[event.key.length === 1 ? event.key.toLowerCase() : event.key];
      if (!run) return;
      event.preventDefault();
      run();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
}

const rows = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>('[data-issue], [data-row]')];

/** The issue whose row has the focus. */
export const focusedIssue = (): string | undefined =>
  document.activeElement?.closest<HTMLElement>('[data-issue]')?.dataset['issue'];

/** Moves the focus to the next or previous row; to the first one from elsewhere. */
export function stepRow(by: number): void {
  const all = rows();
  const at = all.findIndex((row) => row.contains(document.activeElement));
  const next = all[at < 0 ? 0 : Math.min(all.length - 1, Math.max(0, at + by))];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

export const focusRow = (identifier: string): void =>
  rows()
    .find((row) => row.dataset['issue'] === identifier)
    ?.focus();
