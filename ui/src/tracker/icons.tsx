import type { ReactNode } from 'react';
import type { State } from './tracker-api.js';

/** How much of the circle is filled, by the type of a state. */
const FILLED: Readonly<Record<string, number>> = { started: 0.5, completed: 1, canceled: 1, duplicate: 1 };

/** The circle of a state; its name stands beside it, or is its label. */
export function StateIcon({ state, size = 14 }: { state: State | undefined; size?: number }): ReactNode {
  const type = state?.type ?? 'backlog';
  const color = state?.color ?? 'currentColor';
  const filled = FILLED[type] ?? 0;
  const isDone = filled === 1;
  return (
    <svg width={size} height={size} viewBox="0 0 14 14" aria-hidden="true" focusable="false">
      <circle
        cx="7"
        cy="7"
        r="5.6"
        fill={isDone ? color : 'none'}
        stroke={color}
        strokeWidth="1.6"
        strokeDasharray={type === 'backlog' || type === 'triage' ? '1.6 1.9' : undefined}
      />
      {filled === 0.5 && <path d="M7 7 V4 A3 3 0 0 1 7 10 Z" fill={color} />}
      {type === 'completed' && <path d="M4.3 7.1 6.3 9 9.7 5.2" fill="none" stroke="var(--bg)" strokeWidth="1.5" />}
      {isDone && type !== 'completed' && (
        <path d="M5 5 9 9 M9 5 5 9" fill="none" stroke="var(--bg)" strokeWidth="1.5" />
      )}
    </svg>
  );
}

/** Bars of a priority: three for high, an exclamation mark for urgent. */
export function PriorityIcon({ priority }: { priority: number }): ReactNode {
  if (priority === 1)
    return (
      <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true" focusable="false">
        <rect x="1" y="1" width="12" height="12" rx="3" fill="var(--warn)" />
        <path d="M7 3.6 V7.8 M7 9.6 V10.6" stroke="var(--bg)" strokeWidth="1.7" strokeLinecap="round" />
      </svg>
    );
  const bars = priority === 0 ? 0 : 5 - priority;
  return (
    <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true" focusable="false">
      {[0, 1, 2].map((bar) => (
        <rect
          key={bar}
          x={1.5 + bar * 4}
          y={priority === 0 ? 6.2 : 9 - bar * 3}
          width="2.6"
          height={priority === 0 ? 1.6 : 4 + bar * 3}
          rx="1"
          fill="currentColor"
          opacity={bar < bars || priority === 0 ? 1 : 0.3}
        />
      ))}
    </svg>
  );
}
