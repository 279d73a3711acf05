import type { KeyboardEvent } from 'react';

interface ListKeys {
  /** Scrolls to the row of that index and focuses it. */
  readonly focusRow: (index: number) => void;
  /** Starts editing the message of that `ts` if it is the person's own; else false. */
  readonly edit: (ts: string) => boolean;
}

const BUTTONS: Readonly<Record<string, string>> = { r: 'React', t: 'Reply in thread' };

/**
 * Arrow keys move between messages, Enter opens a message's actions; letters act only while the list itself has the
 * focus.
 */
export function onListKey(event: KeyboardEvent<HTMLElement>, keys: ListKeys): void {
  const item = (event.target as HTMLElement).closest<HTMLElement>('[role="listitem"]');
  if (!item) return;
  const isItem = event.target === item;
  if (event.key === 'Escape' && !isItem) {
    item.focus();
    event.stopPropagation();
    return;
  }
  if (!isItem || event.ctrlKey || event.metaKey || event.altKey) return;
  const step = { ArrowUp: -1, ArrowDown: 1, Home: -Infinity, End: Infinity }[event.key];
  if (step !== undefined) {
    event.preventDefault();
    return keys.focusRow(Number(item.dataset['index']) + step);
  }
  const ts = item.dataset['ts'];
  if (event.key === 'e' && ts !== undefined && keys.edit(ts)) return event.preventDefault();
  const name = BUTTONS[event.key];
  if (event.key !== 'Enter' && name === undefined) return;
  const button = item.querySelector<HTMLElement>(
    name === undefined ? '[role="toolbar"] button' : `[role="toolbar"] button[aria-label="${name}"]`,
  );
  if (!button) return;
  event.preventDefault();
  button.focus();
  if (event.key !== 'Enter') button.click();
}
