import { useState, type ReactNode } from 'react';
import { agents, assignees, type TeamFacts } from './facts.js';
import { PriorityIcon, StateIcon } from './icons.js';
import { useLookAgain } from './live.js';
import { Picker, type Option } from './picker.js';
import { LabelDot } from './bits.js';
import { Avatar } from '../kit/avatar.js';
import { act, ask, type Issue, type Named, type Person } from './tracker-api.js';
import { complain, PRIORITIES } from './words.js';

/** What can be chosen for an issue. */
export type Choice = 'state' | 'assignee' | 'delegate' | 'priority' | 'labels' | 'project' | 'milestone' | 'cycle';

export interface Changeable extends Pick<
  Issue,
  'identifier' | 'priority' | 'labelIds' | 'state' | 'assignee' | 'delegate' | 'project' | 'cycle'
> {
  readonly milestone?: Named | null;
  /** The milestones of its project, where they are known. */
  readonly milestones?: readonly Named[];
}

const TITLES: Readonly<Record<Choice, string>> = {
  state: 'Status',
  assignee: 'Assignee',
  delegate: 'Delegate to an agent',
  priority: 'Priority',
  labels: 'Labels',
  project: 'Project',
  milestone: 'Milestone',
  cycle: 'Cycle',
};

/** What can be changed wherever an issue is shown; milestones only where those of its project are known. */
const WHATS: readonly Choice[] = ['state', 'assignee', 'delegate', 'priority', 'labels', 'project', 'cycle'];

const people = (list: readonly Person[]): Option[] =>
  list.map((one) => ({
    id: one.id,
    words: one.name,
    icon: <Avatar name={one.name} seed={one.id} size={18} isBot={one.app} />,
    ...(one.isMe && { note: 'you' }),
  }));

function choicesOf(what: Choice, facts: TeamFacts, issue: Changeable): Option[] {
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
    case 'milestone':
      return [
        { id: '', words: 'No milestone' },
        ...(issue.milestones ?? []).map(({ id, name }) => ({ id, words: name })),
      ];
    case 'cycle':
      return [
        { id: '', words: 'No cycle' },
        ...[...facts.cycles.values()].map(({ id, number, name }) => ({ id, words: name ?? `Cycle ${number}` })),
      ];
  }
}

function chosenOf(what: Choice, issue: Omit<Changeable, 'identifier'>): string[] {
  if (what === 'labels') return [...issue.labelIds];
  if (what === 'priority') return [String(issue.priority)];
  return [issue[what]?.id ?? ''];
}

const SET_MILESTONE = `mutation ($id: String!, $to: String) {
  issueUpdate(id: $id, input: { projectMilestoneId: $to }) { success } }`;

export interface IssueChanges {
  /** Opens the list of what can be chosen for an issue. */
  readonly choose: (what: Choice, issue: Changeable) => void;
  /** Opens the list of what can be changed. */
  readonly chooseWhat: (issue: Changeable) => void;
  /** That list, while it is open. */
  readonly picker: ReactNode;
}

/** Changes issues of a team by a list to choose from. */
export function useIssueChanges(facts: TeamFacts): IssueChanges {
  const lookAgain = useLookAgain();
  const [open, setOpen] = useState<{ what: Choice; issue: Changeable; chosen: string[] } | null>(null);
  const [asked, setAsked] = useState<Changeable | null>(null);
  const choose = (what: Choice, issue: Changeable): void => setOpen({ what, issue, chosen: chosenOf(what, issue) });
  const pick = (id: string): void => {
    if (!open) return;
    const { what, issue } = open;
    const one = id === '' ? null : id;
    let value: unknown = what === 'priority' ? Number(id) : one;
    if (what === 'labels') {
      const chosen = open.chosen.includes(id) ? open.chosen.filter((other) => other !== id) : [...open.chosen, id];
      setOpen({ ...open, chosen });
      value = chosen;
    }
    const done: Promise<unknown> =
      what === 'milestone'
        ? ask(SET_MILESTONE, { id: issue.identifier, to: one })
        : act('issue_update', { issue: issue.identifier, [what]: value });
    void done.then(lookAgain, complain);
  };
  return {
    choose,
    chooseWhat: setAsked,
    picker: open ? (
      <Picker
        title={`${TITLES[open.what]} of ${open.issue.identifier}`}
        options={choicesOf(open.what, facts, open.issue)}
        chosen={open.chosen}
        isMany={open.what === 'labels'}
        onPick={pick}
        onClose={() => setOpen(null)}
      />
    ) : (
      asked && (
        <Picker
          title={`Change ${asked.identifier}`}
          options={WHATS.map((what) => ({ id: what, words: TITLES[what] }))}
          chosen={[]}
          // the list of values takes its place
          onPick={(what) => setTimeout(() => choose(what as Choice, asked))}
          onClose={() => setAsked(null)}
        />
      )
    ),
  };
}
