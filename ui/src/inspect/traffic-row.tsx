import { memo, type ReactNode } from 'react';
import { Zap } from 'lucide-react';
import { exactTime } from '../text/time.js';
import { ARROWS, directionOf, nameOf, outcomeOf, previewOf, whoOf, type Entry } from './entries.js';
import styles from './traffic.module.css';

interface RowProps {
  readonly entry: Entry;
  readonly index: number;
  readonly start: number;
  readonly isOpen: boolean;
  readonly isFocusable: boolean;
  /** Names of apps by id. */
  readonly apps: ReadonlyMap<string, string>;
  readonly onOpen: (id: string) => void;
}

const NAMES = { in: 'in', out: 'out', inside: 'inside' };

/** One entry as a line. */
export const TrafficRow = memo(
  function TrafficRow({ entry, index, start, isOpen, isFocusable, apps, onOpen }: RowProps): ReactNode {
    const outcome = outcomeOf(entry);
    const direction = directionOf(entry);
    const isMark = entry.kind === 'note';
    return (
      <div
        role="row"
        aria-rowindex={index + 2}
        aria-selected={isOpen}
        tabIndex={isFocusable ? 0 : -1}
        data-index={index}
        data-entry={entry.id}
        className={`${styles.row} ${styles.entry} ${isOpen ? styles.open : ''} ${isMark ? styles.mark : ''}`}
        ref={(element) => element?.style.setProperty('transform', `translateY(${start}px)`)}
        onClick={() => onOpen(entry.id)}
      >
        <span role="gridcell" className={styles.time}>
          {exactTime(new Date(entry.wall))}
        </span>
        <span role="gridcell" className={styles.kind}>
          <span aria-label={NAMES[direction]} role="img" className={styles[direction]}>
            {ARROWS[direction]}
          </span>
          <span className={styles.kindWord}>{entry.kind}</span>
        </span>
        <span role="gridcell" className={styles.name}>
          {entry.fault !== undefined && <Zap size={12} aria-label="fault" className={styles.fault} />}
          {nameOf(entry)}
        </span>
        <span role="gridcell" className={styles.who}>
          {whoOf(entry, apps)}
        </span>
        <span role="gridcell" className={`${styles.outcome} ${styles[outcome.tone]}`}>
          {outcome.words}
          {entry.attempt !== undefined && entry.attempt > 1 && ` · ${entry.attempt}`}
        </span>
        <span role="gridcell" className={styles.ms}>
          {entry.ms === undefined ? '' : Math.round(entry.ms)}
        </span>
        <span role="gridcell" className={styles.preview}>
          {entry.cost ? `${entry.cost.complexity} pt · ` : ''}
          {previewOf(entry)}
        </span>
      </div>
    );
  },
  (a, b) =>
    a.entry === b.entry &&
    a.start === b.start &&
    a.isOpen === b.isOpen &&
    a.isFocusable === b.isFocusable &&
    a.apps === b.apps,
);
