import { useRef, useState, type ReactNode } from 'react';
import { writeLocal, readLocal } from './local-storage.js';
import styles from './pane.module.css';

interface Bounds {
  readonly usual: number;
  readonly least: number;
  readonly most: number;
}

interface ResizeProps extends Bounds {
  /** What it resizes, for screen readers. */
  readonly name: string;
  /** The storage key of its width, and the custom property that holds it. */
  readonly storageKey: string;
  /** The edge that moves. */
  readonly side: 'left' | 'right';
}

/** The stored width, clamped: the storage may hold anything. */
const storedWidth = (storageKey: string, { usual, least, most }: Bounds): number => {
  const width = Number(readLocal<unknown>(storageKey, usual));
  return Number.isFinite(width) ? Math.min(most, Math.max(least, width)) : usual;
};

/** The edge of a pane: dragged, or moved by the arrow keys; a double click resets it. */
export function ResizeHandle({ name, storageKey, side, ...bounds }: ResizeProps): ReactNode {
  const [width, setWidth] = useState(() => storedWidth(storageKey, bounds));
  const handle = useRef<HTMLDivElement | null>(null);
  const box = (): HTMLElement | null => handle.current?.parentElement ?? null;
  const resize = (wanted: number): void => {
    const next = Math.round(Math.min(bounds.most, Math.max(bounds.least, wanted)));
    box()?.style.setProperty(`--${storageKey}`, `${next}px`);
    setWidth(next);
    writeLocal(storageKey, next);
  };
  const outwards = side === 'right' ? 1 : -1;
  return (
    <div
      ref={(element) => {
        handle.current = element;
        box()?.style.setProperty(`--${storageKey}`, `${width}px`);
      }}
      role="separator"
      aria-orientation="vertical"
      aria-label={`Width of ${name}`}
      aria-valuenow={width}
      aria-valuemin={bounds.least}
      aria-valuemax={bounds.most}
      tabIndex={0}
      data-side={side}
      className={styles.handle}
      onKeyDown={(event) => {
        const step = { ArrowLeft: -24, ArrowRight: 24 }[event.key];
        const wanted = { Home: bounds.least, End: bounds.most }[event.key] ?? (step && width + step * outwards);
        if (wanted === undefined) return;
        event.preventDefault();
        resize(wanted);
      }}
      onDoubleClick={() => resize(bounds.usual)}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={(event) => {
        const edge = box()?.getBoundingClientRect();
        if (!edge || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
        resize(side === 'right' ? event.clientX - edge.left : edge.right - event.clientX);
      }}
    />
  );
}
