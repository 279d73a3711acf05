import { useEffect, useRef, type ReactNode } from 'react';
import { X } from 'lucide-react';
import { keep, recall } from './local.js';
import { IconButton } from './button.js';
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

const [LEAST, MOST] = [300, 760];

/** What stands at the right: a thread, details, an entry. Its width is kept. */
export function Pane({ name, title, note, actions, children, onClose }: PaneProps): ReactNode {
  const pane = useRef<HTMLElement>(null);
  useEffect(() => pane.current?.style.setProperty('--pane', `${recall('pane', 400)}px`), []);
  const resize = (width: number): void => {
    const kept = Math.min(MOST, Math.max(LEAST, width));
    pane.current?.style.setProperty('--pane', `${kept}px`);
    keep('pane', kept);
  };
  return (
    <aside
      ref={pane}
      aria-label={name}
      className={styles.pane}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.defaultPrevented) {
          event.stopPropagation();
          onClose();
        }
      }}
    >
      <div
        role="separator"
        aria-orientation="vertical"
        aria-label={`Width of ${name}`}
        aria-valuenow={recall('pane', 400)}
        aria-valuemin={LEAST}
        aria-valuemax={MOST}
        tabIndex={0}
        className={styles.handle}
        onKeyDown={(event) => {
          const step = { ArrowLeft: 24, ArrowRight: -24 }[event.key];
          if (step !== undefined) resize((pane.current?.offsetWidth ?? 400) + step);
        }}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={(event) => {
          if (event.currentTarget.hasPointerCapture(event.pointerId))
            resize((pane.current?.getBoundingClientRect().right ?? 0) - event.clientX);
        }}
      />
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
