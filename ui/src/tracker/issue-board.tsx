import { memo, type ReactNode } from 'react';
import { ArrowRightLeft } from 'lucide-react';
import { Link } from '../kit/link.js';
import { Avatar } from '../kit/avatar.js';
import { LabelChips } from './bits.js';
import type { TeamFacts } from './facts.js';
import { PriorityIcon, StateIcon } from './icons.js';
import { AgentDot } from './issue-list.js';
import type { Issue } from './tracker-api.js';
import { byPriority, priorityName } from './words.js';
import styles from './board.module.css';

interface BoardProps {
  readonly facts: TeamFacts;
  readonly issues: readonly Issue[];
  readonly at: string;
  readonly onMove: (issue: Issue) => void;
}

/** Issues in columns, one a state. */
export const IssueBoard = ({ facts, issues, at, onMove }: BoardProps): ReactNode => (
  <section aria-label="Board" className={styles.board} tabIndex={0}>
    {facts.states.map((state) => {
      const own = issues.filter((issue) => issue.state.id === state.id).toSorted(byPriority);
      return (
        <div key={state.id} className={styles.column}>
          <h2 className={styles.head}>
            <StateIcon state={state} />
            {state.name}
            <span className={styles.count}>{own.length}</span>
          </h2>
          <ul aria-label={state.name} className={styles.list}>
            {own.map((issue) => (
              <Card key={issue.id} issue={issue} facts={facts} at={at} onMove={onMove} />
            ))}
            {own.length === 0 && <li className={styles.none}>No issues</li>}
          </ul>
        </div>
      );
    })}
  </section>
);

const Card = memo(
  function Card({ issue, facts, at, onMove }: { issue: Issue } & Omit<BoardProps, 'issues'>): ReactNode {
    const assignee = facts.people.get(issue.assignee?.id ?? '');
    const { identifier } = issue;
    return (
      <li
        className={styles.card}
        data-issue={identifier}
        tabIndex={-1}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.target !== event.currentTarget) return;
          event.preventDefault();
          event.currentTarget.querySelector('a')?.click();
        }}
      >
        <div className={styles.top}>
          <span className={styles.identifier}>{identifier}</span>
          <AgentDot issue={issue} facts={facts} />
          <button
            type="button"
            className={styles.move}
            aria-label={`Move ${identifier}`}
            title="Move"
            onClick={() => onMove(issue)}
          >
            <ArrowRightLeft size={13} />
          </button>
        </div>
        <Link href={`${at}/${identifier}`} className={styles.title}>
          {issue.title}
        </Link>
        <div className={styles.bottom}>
          <span title={priorityName(issue.priority)} className={styles.priority}>
            <PriorityIcon priority={issue.priority} />
            <span className="visually-hidden">{priorityName(issue.priority)}</span>
          </span>
          <LabelChips ids={issue.labelIds} labels={facts.labels} />
          {assignee && (
            <span className={styles.assignee} title={assignee.name}>
              <Avatar name={assignee.name} seed={assignee.id} size={20} />
              <span className="visually-hidden">{assignee.name}</span>
            </span>
          )}
        </div>
      </li>
    );
  },
  // the same functions do the same: only the issue and what it refers to are looked at
  (before, after) => before.issue === after.issue && before.facts === after.facts && before.at === after.at,
);
