import { useState, type ReactNode } from 'react';
import { useCurrentUser } from '../api/current-user.js';
import { Link } from '../kit/link.js';
import { fullDate } from '../text/time.js';
import { LabelChips, Who } from './bits.js';
import type { TeamFacts } from './facts.js';
import { PriorityIcon, StateIcon } from './icons.js';
import type { Choice } from './issue-changes.js';
import type { WholeIssue } from './issue-data.js';
import { useLookAgain } from './live.js';
import { act } from './tracker-api.js';
import { complain, priorityName } from './words.js';
import styles from './properties.module.css';

interface PropertiesProps {
  readonly facts: TeamFacts;
  readonly issue: WholeIssue;
  readonly choose: (what: Choice) => void;
}

/** What an issue is; each property is a button that changes it. */
export function IssueProperties({ facts, issue, choose }: PropertiesProps): ReactNode {
  const { team } = useCurrentUser();
  const state = facts.states.find(({ id }) => id === issue.state.id);
  const cycle = facts.cycles.get(issue.cycle?.id ?? '');
  const row = (what: Choice, title: string, value: ReactNode): ReactNode => (
    <div className={styles.row}>
      <dt>{title}</dt>
      <dd>
        <button type="button" className={styles.value} onClick={() => choose(what)}>
          <span className="visually-hidden">{title}: </span>
          {value}
        </button>
      </dd>
    </div>
  );
  const none = (words: string): ReactNode => <span className={styles.none}>{words}</span>;
  return (
    <aside aria-label="Properties" className={styles.properties}>
      <h2 className={styles.h2}>Properties</h2>
      <dl className={styles.list}>
        {row(
          'state',
          'Status',
          <>
            <StateIcon state={state} /> {state?.name}
          </>,
        )}
        {row(
          'priority',
          'Priority',
          <>
            <PriorityIcon priority={issue.priority} /> {priorityName(issue.priority)}
          </>,
        )}
        {row('assignee', 'Assignee', <Who person={facts.people.get(issue.assignee?.id ?? '')} />)}
        {row('delegate', 'Delegate', <Who person={facts.people.get(issue.delegate?.id ?? '')} none="No agent" />)}
        {row(
          'labels',
          'Labels',
          issue.labelIds.length > 0 ? <LabelChips ids={issue.labelIds} labels={facts.labels} /> : none('None'),
        )}
        {row('project', 'Project', issue.project?.name ?? none('No project'))}
        {issue.project && row('milestone', 'Milestone', issue.milestone?.name ?? none('No milestone'))}
        {row('cycle', 'Cycle', cycle ? (cycle.name ?? `Cycle ${cycle.number}`) : none('No cycle'))}
        <Typed issue={issue} name="estimate" title="Estimate" type="number" value={issue.estimate?.toString() ?? ''} />
        <Typed issue={issue} name="due_date" title="Due date" type="date" value={issue.dueDate ?? ''} />
        <Typed issue={issue} name="parent" title="Parent" type="text" value={issue.parent?.identifier ?? ''} />
        <div className={styles.row}>
          <dt>Created</dt>
          <dd>{fullDate(new Date(issue.createdAt))}</dd>
        </div>
      </dl>
      {issue.project && (
        <Link href={`/w/${team.id}/projects/${issue.project.slugId}`} className={styles.link}>
          Open the project
        </Link>
      )}
    </aside>
  );
}

interface TypedProps {
  readonly issue: WholeIssue;
  readonly name: string;
  readonly title: string;
  readonly type: 'number' | 'date' | 'text';
  readonly value: string;
}

/** A property that is typed: it is sent when the field is left. */
function Typed({ issue, name, title, type, value }: TypedProps): ReactNode {
  const lookAgain = useLookAgain();
  const [typed, setTyped] = useState<string | null>(null);
  const send = (): void => {
    if (typed === null || typed === value) return setTyped(null);
    const sent = typed === '' ? null : type === 'number' ? Number(typed) : typed;
    void act('issue_update', { issue: issue.identifier, [name]: sent })
      .then(lookAgain, complain)
      .finally(() => setTyped(null));
  };
  return (
    <div className={styles.row}>
      <dt>{title}</dt>
      <dd>
        <input
          className={styles.input}
          aria-label={title}
          type={type}
          min={0}
          placeholder="None"
          data-empty={(typed ?? value) === ''}
          value={typed ?? value}
          onChange={(event) => setTyped(event.target.value)}
          onBlur={send}
          onKeyDown={(event) => event.key === 'Enter' && send()}
        />
      </dd>
    </div>
  );
}
