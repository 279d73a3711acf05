import type { ReactNode } from 'react';
import { Store, useStore } from './store.js';
import { Button } from './button.js';
import styles from './toasts.module.css';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: 'plain' | 'bad';
  readonly action?: { readonly label: string; readonly run: () => void } | undefined;
}

const toasts = new Store<readonly Toast[]>([]);
let lastId = 0;

const remove = (id: number): void => toasts.set(toasts.get().filter((toast) => toast.id !== id));

interface ToastOptions {
  readonly tone?: Toast['tone'];
  readonly action?: Toast['action'];
  readonly ms?: number;
  /** Called when it disappears by itself rather than by its action. */
  readonly onGone?: () => void;
}

/** Shows a message at the edge of the page for a while. Returns a function that removes it. */
export function say(text: string, { tone = 'plain', action, ms = 5_000, onGone }: ToastOptions = {}): () => void {
  const id = ++lastId;
  const timer = setTimeout(() => {
    remove(id);
    onGone?.();
  }, ms);
  const close = (): void => {
    clearTimeout(timer);
    remove(id);
  };
  const run = action && {
    label: action.label,
    run: () => {
      close();
      action.run();
    },
  };
  toasts.set([...toasts.get().slice(-3), { id, text, tone, action: run }]);
  return close;
}

export function Toasts(): ReactNode {
  const shown = useStore(toasts);
  return (
    <div className={styles.region} role="status" aria-live="polite">
      {shown.map((toast) => (
        <div key={toast.id} className={`${styles.toast} ${toast.tone === 'bad' ? styles.bad : ''}`}>
          <span className={styles.text}>{toast.text}</span>
          {toast.action && (
            <Button kind="link" onPress={toast.action.run}>
              {toast.action.label}
            </Button>
          )}
        </div>
      ))}
    </div>
  );
}
