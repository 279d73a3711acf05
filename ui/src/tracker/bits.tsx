import type { ReactNode } from 'react';
import { Bot } from 'lucide-react';
import { Avatar } from '../kit/avatar.js';
import { Badge } from '../kit/misc.js';
import type { Label, Person } from './tracker-api.js';
import styles from './bits.module.css';

/** A person or an agent, which has a badge. */
export function Who({ person, none }: { person: Person | undefined; none?: string }): ReactNode {
  if (!person) return <span className={styles.none}>{none ?? 'Nobody'}</span>;
  return (
    <span className={styles.who}>
      <Avatar name={person.name} seed={person.id} size={18} isBot={person.app} />
      <span className={styles.name}>{person.name}</span>
      {person.app && <AgentBadge />}
    </span>
  );
}

export const AgentBadge = (): ReactNode => (
  <Badge tone="accent">
    <Bot size={11} aria-hidden /> agent
  </Badge>
);

export const LabelDot = ({ label }: { label: Label }): ReactNode => (
  <span className={styles.dot} style={{ background: label.color }} aria-hidden />
);

export function LabelChips({ ids, labels }: { ids: readonly string[]; labels: ReadonlyMap<string, Label> }): ReactNode {
  const shown = ids.flatMap((id) => labels.get(id) ?? []);
  if (shown.length === 0) return null;
  return (
    <span className={styles.labels}>
      {shown.map((label) => (
        <span key={label.id} className={styles.label}>
          <LabelDot label={label} />
          {label.name}
        </span>
      ))}
    </span>
  );
}

/** How much of something is done. */
export const Progress = ({ value, label }: { value: number; label: string }): ReactNode => (
  <span className={styles.progress}>
    <progress className={styles.bar} max={1} value={value} aria-label={label} />
    <span>{Math.round(value * 100)} %</span>
  </span>
);
