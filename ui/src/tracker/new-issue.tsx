import { useState, type ReactNode } from 'react';
import { useCurrentUser } from '../api/current-user.js';
import { Button } from '../kit/button.js';
import { Dialog } from '../kit/dialog.js';
import { Choice, ErrorLine, Field } from '../kit/field.js';
import { useGo } from '../kit/link.js';
import { say } from '../kit/toasts.js';
import { agents, assignees, type TeamFacts } from './facts.js';
import { useLookAgain } from './live.js';
import { act, type Person } from './tracker-api.js';
import { PRIORITIES, refusal } from './words.js';
import styles from './tracker.module.css';

interface NewIssueProps {
  readonly facts: TeamFacts;
  /** The identifier of the issue that it is a part of. */
  readonly parent?: string;
  readonly onClose: () => void;
}

const people = (none: string, list: readonly Person[]): [string, string][] => [
  ['', none],
  ...list.map(({ id, name }): [string, string] => [id, name]),
];

/** The dialog that makes an issue. */
export function NewIssue({ facts, parent, onClose }: NewIssueProps): ReactNode {
  const { team } = useCurrentUser();
  const go = useGo();
  const lookAgain = useLookAgain();
  const usual = facts.states.find(({ type }) => type === 'backlog') ?? facts.states[0];
  const [fields, setFields] = useState({
    title: '',
    description: '',
    state: usual?.id ?? '',
    priority: '0',
    assignee: '',
    delegate: '',
  });
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const set = (name: keyof typeof fields) => (value: string) => setFields((before) => ({ ...before, [name]: value }));
  const make = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    const { title, description, state, priority, assignee, delegate } = fields;
    try {
      const made = await act('issue_create', {
        team: facts.team.id,
        title,
        ...(description !== '' && { description }),
        ...(state !== '' && { state }),
        ...(priority !== '0' && { priority: Number(priority) }),
        ...(assignee !== '' && { assignee }),
        ...(delegate !== '' && { delegate }),
        ...(parent !== undefined && { parent }),
      });
      onClose();
      const to = `/w/${team.id}/t/${facts.team.key}/${made.identifier}`;
      if (delegate !== '') go(to);
      else say(`${made.identifier} was made.`, { action: { label: 'Open', run: () => go(to) } });
      await lookAgain();
    } catch (refused) {
      setError(refusal(refused));
      setBusy(false);
    }
  };
  const agentList = agents(facts);
  return (
    <Dialog
      title={parent === undefined ? `New issue in ${facts.team.key}` : `New sub-issue of ${parent}`}
      isOpen
      onClose={onClose}
    >
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (fields.title.trim() !== '' && !isBusy) void make();
        }}
      >
        <Field label="Title" value={fields.title} onChange={set('title')} autoFocus />
        <Field label="Description" lines={4} value={fields.description} onChange={set('description')} note="Markdown" />
        <div className={styles.pairs}>
          <Choice
            label="Status"
            value={fields.state}
            options={facts.states.map(({ id, name }): [string, string] => [id, name])}
            onChange={set('state')}
          />
          <Choice
            label="Priority"
            value={fields.priority}
            options={PRIORITIES.map((name, value): [string, string] => [String(value), name])}
            onChange={set('priority')}
          />
          <Choice
            label="Assignee"
            value={fields.assignee}
            options={people('Nobody', assignees(facts))}
            onChange={set('assignee')}
          />
          <Choice
            label="Delegate"
            value={fields.delegate}
            options={people(agentList.length === 0 ? 'No app here is an agent' : 'No agent', agentList)}
            isDisabled={agentList.length === 0}
            onChange={set('delegate')}
          />
        </div>
        <ErrorLine>{error}</ErrorLine>
        <div className={styles.buttons}>
          <Button onPress={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isDisabled={fields.title.trim() === '' || isBusy}>
            Create issue
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
