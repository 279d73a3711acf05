import { memo, useMemo, useState, type ReactNode } from 'react';
import { MoreHorizontal } from 'lucide-react';
import { Link } from '../kit/link.js';
import { Avatar } from '../kit/avatar.js';
import { shortDate } from '../text/time.js';
import { AgentDot } from './agent-dot.js';
import { LabelChips } from './bits.js';
import { type TeamFacts } from './facts.js';
import { useGrowing } from './growing.js';
import { PriorityIcon, StateIcon } from './icons.js';
import type { IssueChanges } from './issue-changes.js';
import { useLatest } from '../kit/latest.js';
import { lastList } from './last-list.js';
import type { Issue, State } from './tracker-api.js';
import { byPriority, priorityName } from './words.js';
import styles from './list.module.css';

/** What is worked on comes first, what is done last. */
const ORDER = ['triage', 'started', 'unstarted', 'backlog', 'completed', 'canceled', 'duplicate'];

/** More rows than a usual screen holds. */
const FIRST = 60;

interface ListProps {
  readonly facts: TeamFacts;
  readonly issues: readonly Issue[];
  /** The address of the list. */
  readonly at: string;
  readonly changes: IssueChanges;
}

/** Issues by their states. */
export function IssueList({ facts, issues, at, changes }: ListProps): ReactNode {
  const [current, setCurrent] = useState<string | null>(null);
  const { choose, chooseWhat } = useLatest({ choose: changes.choose, chooseWhat: changes.chooseWhat });
  const groups = useMemo(() => grouped(facts, issues), [facts, issues]);
  const order = groups.flatMap((group) => group.issues);
  const opened = order.findIndex(({ identifier }) => identifier === lastList.issue);
  const { count, ref, onScroll } = useGrowing(order.length, Math.max(FIRST, opened + 1));
  const isThere = order.some(({ identifier }) => identifier === current);
  const tabbable = isThere ? current : order[0]?.identifier;
  return (
    <div
      ref={ref}
      role="grid"
      aria-label="Issues"
      aria-rowcount={order.length + groups.length}
      onScroll={onScroll}
      className={styles.grid}
      onFocus={(event) => {
        const issue = (event.target as HTMLElement).closest<HTMLElement>('[data-issue]')?.dataset['issue'];
        if (issue !== undefined) setCurrent(issue);
      }}
    >
      {groups.map((group) => {
        const drawn = group.issues.slice(0, Math.max(0, count - group.before));
        if (drawn.length === 0) return null;
        return (
          <div key={group.state.id} role="rowgroup" aria-label={group.state.name} className={styles.group}>
            <div role="row" aria-rowindex={group.row} className={styles.groupHead}>
              <span role="gridcell" className={styles.groupName}>
                <StateIcon state={group.state} />
                {group.state.name}
                <span className={styles.groupCount}>{group.issues.length}</span>
              </span>
            </div>
            {drawn.map((issue, index) => (
              <Row
                key={issue.id}
                issue={issue}
                rowIndex={group.row + 1 + index}
                state={group.state}
                facts={facts}
                at={at}
                choose={choose}
                chooseWhat={chooseWhat}
                isTabbable={issue.identifier === tabbable}
              />
            ))}
          </div>
        );
      })}
    </div>
  );
}

interface Group {
  readonly state: State;
  readonly issues: readonly Issue[];
  /** How many issues stand above it. */
  readonly before: number;
  /** The number of its heading among all rows, from one. */
  readonly row: number;
}

/** Issues by their states, without those that have none. */
function grouped(facts: TeamFacts, issues: readonly Issue[]): Group[] {
  let before = 0;
  return facts.states
    .toSorted((a, b) => ORDER.indexOf(a.type) - ORDER.indexOf(b.type) || a.position - b.position)
    .map((state) => ({ state, issues: issues.filter((issue) => issue.state.id === state.id).toSorted(byPriority) }))
    .filter((group) => group.issues.length > 0)
    .map((group, index) => {
      const placed = { ...group, before, row: 1 + index + before };
      before += group.issues.length;
      return placed;
    });
}

interface RowProps {
  readonly issue: Issue;
  readonly rowIndex: number;
  readonly state: State;
  readonly facts: TeamFacts;
  readonly at: string;
  readonly choose: IssueChanges['choose'];
  readonly chooseWhat: IssueChanges['chooseWhat'];
  readonly isTabbable: boolean;
}

const Row = memo(function Row({
  issue,
  rowIndex,
  state,
  facts,
  at,
  choose,
  chooseWhat,
  isTabbable,
}: RowProps): ReactNode {
  const { identifier, title, priority } = issue;
  const assignee = facts.people.get(issue.assignee?.id ?? '');
  const project = facts.projects.get(issue.project?.id ?? '');
  return (
    <div
      role="row"
      aria-rowindex={rowIndex}
      aria-label={`${identifier} ${title}`}
      data-issue={identifier}
      tabIndex={isTabbable ? 0 : -1}
      className={styles.row}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.target !== event.currentTarget) return;
        event.preventDefault();
        event.currentTarget.querySelector('a')?.click();
      }}
    >
      <span role="gridcell" className={styles.cell}>
        <button
          type="button"
          tabIndex={-1}
          className={styles.change}
          aria-label={`Priority: ${priorityName(priority)}`}
          title={priorityName(priority)}
          onClick={() => choose('priority', issue)}
        >
          <PriorityIcon priority={priority} />
        </button>
      </span>
      <span role="gridcell" className={styles.identifier}>
        {identifier}
      </span>
      <span role="gridcell" className={styles.cell}>
        <button
          type="button"
          tabIndex={-1}
          className={styles.change}
          aria-label={`Status: ${state.name}`}
          title={state.name}
          onClick={() => choose('state', issue)}
        >
          <StateIcon state={state} />
        </button>
      </span>
      <span role="gridcell" className={styles.title}>
        <Link
          href={`${at}/${identifier}`}
          className={styles.link}
          tabIndex={-1}
          onFocus={() => (lastList.issue = null)}
        >
          {title}
        </Link>
      </span>
      <span role="gridcell" className={styles.extra}>
        <LabelChips ids={issue.labelIds} labels={facts.labels} />
        {project && <span className={styles.project}>{project.name}</span>}
      </span>
      <span role="gridcell" className={styles.agentCell}>
        <AgentDot issue={issue} facts={facts} />
      </span>
      <span role="gridcell" className={styles.date} title="Created">
        {shortDate(new Date(issue.createdAt))}
      </span>
      <span role="gridcell" className={styles.cell}>
        <button
          type="button"
          tabIndex={-1}
          className={styles.change}
          aria-label={`Assignee: ${assignee?.name ?? 'nobody'}`}
          title={assignee?.name ?? 'Nobody is assigned'}
          onClick={() => choose('assignee', issue)}
        >
          {assignee ? (
            <Avatar name={assignee.name} seed={assignee.id} size={20} />
          ) : (
            <span className={styles.nobody} aria-hidden />
          )}
        </button>
        <button
          type="button"
          tabIndex={-1}
          className={styles.change}
          aria-label={`Change ${identifier}`}
          title="Change"
          onClick={() => chooseWhat(issue)}
        >
          <MoreHorizontal size={15} />
        </button>
      </span>
    </div>
  );
});
