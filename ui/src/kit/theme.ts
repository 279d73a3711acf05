import { Store } from './store.js';

export type Theme = 'system' | 'light' | 'dark';

const stored = (): Theme => {
  const { theme: chosen } = document.documentElement.dataset;
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system';
};

export const theme = new Store<Theme>(stored());

/** Plain text in the storage: the page reads it before anything is loaded. */
export function setTheme(next: Theme): void {
  theme.set(next);
  try {
    if (next === 'system') {
      delete document.documentElement.dataset['theme'];
      localStorage.removeItem('theme');
    } else {
      document.documentElement.dataset['theme'] = next;
      localStorage.setItem('theme', next);
    }
  } catch {
    // storage is disabled; the theme still applies to this page
  }
}
