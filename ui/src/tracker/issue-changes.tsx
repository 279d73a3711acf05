import { useState, type ReactNode } from 'react';
import { agents, assignees, type TeamFacts } from './facts.js';
import { PriorityIcon, StateIcon } from './icons.js';
import { useLookAgain } from './live.js';
import { Picker, type Option } from './picker.js';
import { LabelDot } from './bits.js';
import { Avatar } from '../kit/avatar.js';
import { act, type Issue, type Person } from './tracker-api.js';
import { complain, PRIORITIES } from './words.js';

/** What can be chosen for an issue. */
export type Choice = 'state' | 'assignee' | 'delegate' | 'priority' | 'labels' | 'project' | 'cycle';

export type Changeable = Pick<
  Issue,
  'identifier' | 'priority' | 'labelIds' | 'state' | 'assignee' | 'delegate' | 'project' | 'cycle'
>;

const TITLES: Readonly<Record<Choice, string>> = {
  state: 'Status',
  assignee: 'Assignee',
  delegate: 'Delegate to an agent',
  priority: 'Priority',
  labels: 'Labels',
  project: 'Project',
  cycle: 'Cycle',
};

const people = (list: readonly Person[]): Option[] =>
  list.map((one) => ({
    id: one.id,
    words: one.name,
    icon: <Avatar name={one.name} seed={one.id} size={18} isBot={one.app} />,
    ...(one.isMe && { note: 'you' }),
  }));

export function choicesOf(what: Choice, facts: TeamFacts): Option[] {
  switch (what) {
    case 'state':
      return facts.states.map((state) => ({ id: state.id, words: state.name, icon: <StateIcon state={state} /> }));
    case 'assignee':
      return [{ id: '', words: 'Nobody' }, ...people(assignees(facts))];
    case 'delegate':
      return [{ id: '', words: 'No agent' }, ...people(agents(facts))];
    case 'priority':
      return PRIORITIES.map((words, value) => ({
        id: String(value),
        words,
        icon: <PriorityIcon priority={value} />,
      }));
    case 'labels':
      return [...facts.labels.values()].map((label) => ({
        id: label.id,
        words: label.name,
        icon: <LabelDot label={label} />,
      }));
    case 'project':
      return [
        { id: '', words: 'No project' },
        ...[...facts.projects.values()].map(({ id, name }) => ({ id, words: name })),
      ];
    case 'cycle':
      return [
        { id: '', words: 'No cycle' },
        ...[...facts.cycles.values()].map(({ id, number, name }) => ({ id, words: name ?? `Cycle ${number}` })),
      ];
  }
}

export function chosenOf(what: Choice, issue: Omit<Changeable, 'identifier'>): string[] {
  if (what === 'labels') return [...issue.labelIds];
  if (what === 'priority') return [String(issue.priority)];
  return [issue[what]?.id ?? ''];
}

const isNumber = (what: Choice): boolean => what === 'priority';

export interface IssueChanges {
  /** Opens the list of what can be chosen for an issue. */
  readonly choose: (what: Choice, issue: Changeable) => void;
  /** That list, while it is open. */
  readonly picker: ReactNode;
}

/** Changes issues of a team by a list to choose from. */
export function useIssueChanges(facts: TeamFacts): IssueChanges {
  const lookAgain = useLookAgain();
  const [open, setOpen] = useState<{ what: Choice; issue: Changeable; chosen: string[] } | null>(null);
  const pick = (id: string): void => {
    if (!open) return;
    const { what, issue } = open;
    let value: unknown = isNumber(what) ? Number(id) : id === '' ? null : id;
    if (what === 'labels') {
      const chosen = open.chosen.includes(id) ? open.chosen.filter((one) => one !== id) : [...open.chosen, id];
      setOpen({ ...open, chosen });
      value = chosen;
    }
    void act('issue_update', { issue: issue.identifier, [what]: value }).then(lookAgain, complain);
  };
  return {
    choose: (what, issue) => setOpen({ what, issue, chosen: chosenOf(what, issue) }),
    picker: open && (
      <Picker
        title={`${TITLES[open.what]} of ${open.issue.identifier}`}
        options={choicesOf(open.what, facts)}
        chosen={open.chosen}
        isMany={open.what === 'labels'}
        onPick={pick}
        onClose={() => setOpen(null)}
      />
    ),
  };
}
