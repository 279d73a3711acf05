import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { Store } from '../kit/store.js';
import { useCurrentUser } from '../api/current-user.js';

/** The keyboard overlay that is open. */
export const overlay = new Store<'switcher' | 'keys' | null>(null);

/** Keyboard shortcuts that work everywhere. */
export function useKeys(): void {
  const { team } = useCurrentUser();
  const [location, navigate] = useLocation();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const isCommand = event.ctrlKey || event.metaKey;
      if (isCommand && event.key === 'k') overlay.set('switcher');
      else if (isCommand && event.key === 'f') document.querySelector<HTMLInputElement>('[data-search]')?.focus();
      else if (isCommand && event.key === '.') navigate(`/w/${team.id}/inspect`);
      else if (isCommand && event.key === '/') overlay.set('keys');
      else if (event.altKey && (event.key === 'ArrowUp' || event.key === 'ArrowDown'))
        step(event.key === 'ArrowDown' ? 1 : -1, event.shiftKey);
      else return;
      event.preventDefault();
    };
    /** The next conversation of the sidebar, in the order shown. */
    const step = (by: number, unreadOnly: boolean): void => {
      const rows = [...document.querySelectorAll<HTMLElement>('[data-conversation]')];
      const current = /\/c\/([^/?]+)/.exec(location)?.[1];
      const at = rows.findIndex((row) => row.dataset['conversation'] === current);
      for (let next = at + by; next >= 0 && next < rows.length; next += by) {
        if (unreadOnly && rows[next]?.dataset['unread'] !== 'true') continue;
        return navigate(`/w/${team.id}/c/${rows[next]?.dataset['conversation']}`);
      }
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [team.id, location, navigate]);
}
