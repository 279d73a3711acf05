import { memo, useState, type ReactNode } from 'react';
import { Link } from '../kit/link.js';
import { Avatar } from '../kit/avatar.js';
import { shortDate } from '../text/time.js';
import { LabelChips } from './bits.js';
import { type TeamFacts } from './facts.js';
import { PriorityIcon, StateIcon } from './icons.js';
import type { IssueChanges } from './issue-changes.js';
import { useLatest } from '../kit/latest.js';
import { lastList } from './last-list.js';
import type { Issue, State } from './tracker-api.js';
import { byPriority, priorityName, sessionTone, sessionWords } from './words.js';
import styles from './list.module.css';

/** What is worked on comes first, what is done last. */
const ORDER = ['triage', 'started', 'unstarted', 'backlog', 'completed', 'canceled', 'duplicate'];

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
  const { choose } = useLatest({ choose: changes.choose });
  const groups = facts.states
    .toSorted((a, b) => ORDER.indexOf(a.type) - ORDER.indexOf(b.type) || a.position - b.position)
    .map((state) => ({ state, issues: issues.filter((issue) => issue.state.id === state.id).toSorted(byPriority) }))
    .filter((group) => group.issues.length > 0);
  const isThere = issues.some(({ identifier }) => identifier === current);
  const tabbable = isThere ? current : groups[0]?.issues[0]?.identifier;
  return (
    <div
      role="grid"
      aria-label="Issues"
      className={styles.grid}
      onFocus={(event) => {
        const issue = (event.target as HTMLElement).closest<HTMLElement>('[data-issue]')?.dataset['issue'];
        if (issue !== undefined) setCurrent(issue);
      }}
    >
      {groups.map((group) => (
        <div key={group.state.id} role="rowgroup" aria-label={group.state.name} className={styles.group}>
          <div role="row" className={styles.groupHead}>
            <span role="gridcell" className={styles.groupName}>
              <StateIcon state={group.state} />
              {group.state.name}
              <span className={styles.groupCount}>{group.issues.length}</span>
            </span>
          </div>
          {group.issues.map((issue) => (
            <Row
              key={issue.id}
              issue={issue}
              state={group.state}
              facts={facts}
              at={at}
              choose={choose}
              isTabbable={issue.identifier === tabbable}
            />
          ))}
        </div>
      ))}
    </div>
  );
}

interface RowProps {
  readonly issue: Issue;
  readonly state: State;
  readonly facts: TeamFacts;
  readonly at: string;
  readonly choose: IssueChanges['choose'];
  readonly isTabbable: boolean;
}

const Row = memo(function Row({ issue, state, facts, at, choose, isTabbable }: RowProps): ReactNode {
  const { identifier, title, priority } = issue;
  const assignee = facts.people.get(issue.assignee?.id ?? '');
  const project = facts.projects.get(issue.project?.id ?? '');
  return (
    <div
      role="row"
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
      </span>
    </div>
  );
});

/** Which agent works on an issue, and how it is doing. */
export function AgentDot({ issue, facts }: { issue: Issue; facts: TeamFacts }): ReactNode {
  const agent = facts.people.get(issue.delegate?.id ?? '');
  const status = issue.agentSessions.nodes[0]?.status;
  if (!agent && status === undefined) return null;
  const words = [agent?.name, status && sessionWords(status)].filter(Boolean).join(': ');
  return (
    <span className={styles.agent} title={words}>
      <span className={styles.agentDot} data-tone={status === undefined ? 'plain' : sessionTone(status)} aria-hidden />
      <span className={styles.agentName}>{agent?.name ?? 'Agent'}</span>
      {status !== undefined && <span className="visually-hidden">{sessionWords(status)}</span>}
    </span>
  );
}
