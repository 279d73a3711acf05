import { memo, useState, type ReactNode } from 'react';
import { ChevronDown, ChevronRight } from 'lucide-react';
import styles from './json-view.module.css';

const MAX_SHOWN = 200;

/** JSON that folds. Deep or long parts start folded. */
export const JsonView = memo(function JsonView({
  value,
  depth = 0,
  name,
}: {
  value: unknown;
  depth?: number;
  name?: string;
}): ReactNode {
  const [open, setOpen] = useState(depth < 3);
  const [all, setAll] = useState(false);
  const label = name === undefined ? null : <span className={styles.key}>{name}: </span>;
  if (typeof value !== 'object' || value === null) {
    return (
      <div className={styles.line}>
        {label}
        <Scalar value={value} />
      </div>
    );
  }
  const entries = Array.isArray(value)
    ? value.map((one, index) => [String(index), one] as const)
    : Object.entries(value);
  const [start, end] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (entries.length === 0) {
    return (
      <div className={styles.line}>
        {label}
        {start + end}
      </div>
    );
  }
  const shown = all ? entries : entries.slice(0, MAX_SHOWN);
  return (
    <div className={styles.node}>
      <button type="button" className={styles.fold} aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? <ChevronDown size={12} aria-hidden /> : <ChevronRight size={12} aria-hidden />}
        {label}
        {open ? start : <span className={styles.count}>{`${start} ${entries.length} ${end}`}</span>}
      </button>
      {open && (
        <div className={styles.inner}>
          {shown.map(([key, one]) => (
            <JsonView key={key} value={one} depth={depth + 1} name={key} />
          ))}
          {shown.length < entries.length && (
            <button type="button" className={styles.fold} onClick={() => setAll(true)}>
              {entries.length - shown.length} more
            </button>
          )}
        </div>
      )}
      {open && <div className={styles.line}>{end}</div>}
    </div>
  );
});

function Scalar({ value }: { value: unknown }): ReactNode {
  if (typeof value === 'string') return <span className={styles.string}>{JSON.stringify(value)}</span>;
  if (value === null || value === undefined) return <span className={styles.null}>null</span>;
  return <span className={styles.number}>{String(value)}</span>;
}
