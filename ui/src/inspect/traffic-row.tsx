import { memo, type ReactNode } from 'react';
import { ChevronDown, ChevronRight, ListFilter, Repeat2, Zap } from 'lucide-react';
import { exactTime } from '../text/time.js';
import { ARROWS, directionOf, nameOf, outcomeOf, previewOf, startOf, whoOf, type Entry } from './entries.js';
import { chipWords, filterOfCell } from './filters.js';
import type { Line } from './groups.js';
import styles from './traffic.module.css';

type Cell = Parameters<typeof filterOfCell>[0];

interface RowProps {
  readonly line: Line;
  readonly index: number;
  readonly start: number;
  readonly isOpen: boolean;
  readonly isFocusable: boolean;
  /** Names of apps by id. */
  readonly apps: ReadonlyMap<string, string>;
  /** Names of people by id. */
  readonly people: ReadonlyMap<string, string>;
  readonly isExpanded: boolean;
  readonly onOpen: (id: string) => void;
  /** Opens or closes the group that the entry leads. */
  readonly onExpand: (id: string) => void;
  readonly onFilter: (key: string, value: string) => void;
}

/** Shows only entries that have the same in this cell. */
function CellFilter({
  cell,
  entry,
  onFilter,
}: {
  cell: Cell;
  entry: Entry;
  onFilter: (key: string, value: string) => void;
}): ReactNode {
  const filter = filterOfCell(cell, entry);
  if (!filter) return null;
  const words = `Only ${chipWords(...filter)}`;
  return (
    <button
      type="button"
      // the row's keys lead everywhere; this is for the mouse, as the dialog of filters is for the keyboard
      tabIndex={-1}
      className={styles.cellFilter}
      aria-label={words}
      title={words}
      onClick={(event) => {
        event.stopPropagation();
        onFilter(...filter);
      }}
    >
      <ListFilter size={12} aria-hidden />
    </button>
  );
}

const NAMES = { in: 'in', out: 'out', inside: 'inside' };

/** One entry as a line. */
export const TrafficRow = memo(
  function TrafficRow(props: RowProps): ReactNode {
    const { line, index, start, isOpen, isFocusable, apps, people, isExpanded, onOpen, onExpand, onFilter } = props;
    const { entry, caused, isCaused } = line;
    const Arrow = isExpanded ? ChevronDown : ChevronRight;
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
          {exactTime(new Date(startOf(entry)))}
        </span>
        <span role="gridcell" className={styles.kind}>
          <span aria-label={NAMES[direction]} role="img" className={styles[direction]}>
            {ARROWS[direction]}
          </span>
          <span className={styles.kindWord}>{entry.kind}</span>
          <CellFilter cell="kind" entry={entry} onFilter={onFilter} />
        </span>
        <span role="gridcell" className={`${styles.name} ${isCaused ? styles.caused : ''}`}>
          {caused > 0 && (
            <button
              type="button"
              tabIndex={-1}
              className={styles.expand}
              aria-expanded={isExpanded}
              aria-label={`${caused} caused by it`}
              onClick={(event) => {
                event.stopPropagation();
                onExpand(entry.id);
              }}
            >
              <Arrow size={13} aria-hidden />
              {caused}
            </button>
          )}
          {entry.fault !== undefined && <Zap size={12} aria-label="fault" className={styles.fault} />}
          {entry.client === 'replay' && <Repeat2 size={12} aria-label="replay" className={styles.replay} />}
          {nameOf(entry)}
          <CellFilter cell="name" entry={entry} onFilter={onFilter} />
        </span>
        <span role="gridcell" className={styles.who}>
          {whoOf(entry, apps, people)}
          <CellFilter cell="who" entry={entry} onFilter={onFilter} />
        </span>
        <span role="gridcell" className={`${styles.outcome} ${styles[outcome.tone]}`}>
          {outcome.words}
          {entry.attempt !== undefined && entry.attempt > 1 && ` · attempt ${entry.attempt}`}
          <CellFilter cell="outcome" entry={entry} onFilter={onFilter} />
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
    a.line.entry === b.line.entry &&
    a.line.caused === b.line.caused &&
    a.line.isCaused === b.line.isCaused &&
    a.isExpanded === b.isExpanded &&
    a.people === b.people &&
    a.onFilter === b.onFilter &&
    a.start === b.start &&
    a.isOpen === b.isOpen &&
    a.isFocusable === b.isFocusable &&
    a.apps === b.apps,
);
