import { memo, useState, type DragEvent, type ReactNode } from 'react';
import { ArrowRightLeft, MoreHorizontal } from 'lucide-react';
import { Link } from '../kit/link.js';
import { Avatar } from '../kit/avatar.js';
import { useLatest } from '../kit/latest.js';
import { AgentDot } from './agent-dot.js';
import { LabelChips } from './bits.js';
import type { TeamFacts } from './facts.js';
import { useGrowing } from './growing.js';
import { PriorityIcon, StateIcon } from './icons.js';
import type { IssueChanges } from './issue-changes.js';
import { lastList } from './last-list.js';
import type { Issue, State } from './tracker-api.js';
import { byPriority, priorityName } from './words.js';
import styles from './board.module.css';

interface BoardProps {
  readonly facts: TeamFacts;
  readonly issues: readonly Issue[];
  readonly at: string;
  readonly changes: IssueChanges;
  readonly onMove: (issue: Issue, stateId: string) => void;
}

/** More cards than a usual screen holds. */
const FIRST = 10;
/** What a dragged card carries: no other page takes it. */
const DRAGGED = 'application/x-tracker-issue';

/** Issues in columns, one a state. A card is moved by dragging it, or by the button on it. */
export function IssueBoard({ facts, issues, at, changes, onMove }: BoardProps): ReactNode {
  const acts = useLatest({
    choose: changes.choose,
    chooseWhat: changes.chooseWhat,
    drop: (identifier: string, stateId: string) => {
      const issue = issues.find((one) => one.identifier === identifier);
      if (issue) onMove(issue, stateId);
    },
  });
  const columns = new Map(facts.states.map(({ id }) => [id, [] as Issue[]]));
  for (const issue of issues) columns.get(issue.state.id)?.push(issue);
  return (
    <section aria-label="Board" className={styles.board} tabIndex={0}>
      {facts.states.map((state) => (
        <Column
          key={state.id}
          state={state}
          issues={(columns.get(state.id) ?? []).toSorted(byPriority)}
          facts={facts}
          at={at}
          acts={acts}
        />
      ))}
    </section>
  );
}

interface Acts {
  readonly choose: IssueChanges['choose'];
  readonly chooseWhat: IssueChanges['chooseWhat'];
  readonly drop: (identifier: string, stateId: string) => void;
}

interface ColumnProps {
  readonly state: State;
  readonly issues: readonly Issue[];
  readonly facts: TeamFacts;
  readonly at: string;
  readonly acts: Acts;
}

function Column({ state, issues, facts, at, acts }: ColumnProps): ReactNode {
  const [isOver, setOver] = useState(false);
  const opened = issues.findIndex(({ identifier }) => identifier === lastList.issue);
  const { count, ref, onScroll } = useGrowing(issues.length, Math.max(FIRST, opened + 1));
  const over = (event: DragEvent): void => {
    if (!event.dataTransfer.types.includes(DRAGGED)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = 'move';
    setOver(true);
  };
  return (
    <div
      className={styles.column}
      data-over={isOver}
      onDragEnter={over}
      onDragOver={over}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={(event) => {
        setOver(false);
        const identifier = event.dataTransfer.getData(DRAGGED);
        if (identifier === '') return;
        event.preventDefault();
        acts.drop(identifier, state.id);
      }}
    >
      <h2 className={styles.head}>
        <StateIcon state={state} />
        {state.name}
        <span className={styles.count}>{issues.length}</span>
      </h2>
      <div ref={ref} className={styles.scroller} onScroll={onScroll}>
        <ul aria-label={state.name} className={styles.list}>
          {issues.slice(0, count).map((issue, index) => (
            <Card key={issue.id} issue={issue} place={index + 1} of={issues.length} facts={facts} at={at} acts={acts} />
          ))}
          {issues.length === 0 && <li className={styles.none}>No issues</li>}
        </ul>
      </div>
    </div>
  );
}

interface CardProps {
  readonly issue: Issue;
  readonly place: number;
  readonly of: number;
  readonly facts: TeamFacts;
  readonly at: string;
  readonly acts: Acts;
}

const Card = memo(function Card({ issue, place, of, facts, at, acts }: CardProps): ReactNode {
  const assignee = facts.people.get(issue.assignee?.id ?? '');
  const { identifier } = issue;
  return (
    <li
      className={styles.card}
      data-issue={identifier}
      aria-setsize={of}
      aria-posinset={place}
      tabIndex={-1}
      draggable
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = 'move';
        event.dataTransfer.setData(DRAGGED, identifier);
        event.dataTransfer.setData('text/plain', `${identifier} ${issue.title}`);
      }}
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
          onClick={() => acts.choose('state', issue)}
        >
          <ArrowRightLeft size={13} />
        </button>
        <button
          type="button"
          className={styles.move}
          aria-label={`Change ${identifier}`}
          title="Change"
          onClick={() => acts.chooseWhat(issue)}
        >
          <MoreHorizontal size={13} />
        </button>
      </div>
      {/* a link that can be dragged would be dragged instead of the card */}
      <Link href={`${at}/${identifier}`} className={styles.title} draggable={false}>
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
});
