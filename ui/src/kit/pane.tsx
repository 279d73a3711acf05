import type { ReactNode } from 'react';
import { X } from 'lucide-react';
import { IconButton } from './button.js';
import { ResizeHandle } from './resize-handle.js';
import styles from './pane.module.css';

interface PaneProps {
  /** Its name as a landmark. */
  readonly name: string;
  readonly title: ReactNode;
  readonly note?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  readonly onClose: () => void;
}

/** The pane on the right: a thread, details, an entry. Its width is remembered. */
export function Pane({ name, title, note, actions, children, onClose }: PaneProps): ReactNode {
  return (
    <aside
      aria-label={name}
      className={styles.pane}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.defaultPrevented) {
          event.stopPropagation();
          onClose();
        }
      }}
    >
      <ResizeHandle name={name} storageKey="pane" side="left" usual={380} least={300} most={760} />
      <header className={styles.head}>
        <h2 className={styles.title}>
          {title}
          {note !== undefined && <span className={styles.note}>{note}</span>}
        </h2>
        {actions}
        <IconButton label="Close" onPress={onClose}>
          <X size={16} />
        </IconButton>
      </header>
      {children}
    </aside>
  );
}
