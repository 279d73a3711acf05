import { useState, type ReactNode } from 'react';
import { rest } from '../api/client.js';
import { Button } from '../kit/button.js';
import { Dialog } from '../kit/dialog.js';
import { Choice, ErrorLine, Field } from '../kit/field.js';
import { Secret } from '../kit/misc.js';
import { useFacts } from './facts.js';
import { useLookAgain } from './live.js';
import { ask } from './tracker-api.js';
import { refusal } from './words.js';
import styles from './tracker.module.css';
import own from './hooks.module.css';

const TYPES = [
  'Issue',
  'Comment',
  'Reaction',
  'Attachment',
  'IssueLabel',
  'Project',
  'ProjectUpdate',
  'ProjectLabel',
  'Cycle',
  'Document',
  'Initiative',
  'InitiativeUpdate',
  'InitiativeLabel',
  'Customer',
  'CustomerNeed',
  'Release',
  'ReleaseNote',
  'User',
];

interface Made {
  webhookCreate: { webhook: { secret: string | null } };
}

const CREATE = `mutation ($input: WebhookCreateInput!) { webhookCreate(input: $input) { success webhook { secret } } }`;

/** The dialog that makes a webhook; its secret is shown once. */
export function NewHook({ onClose }: { onClose: () => void }): ReactNode {
  const lookAgain = useLookAgain();
  const teams = useFacts()?.teams ?? [];
  const [url, setUrl] = useState('');
  const [label, setLabel] = useState('');
  const [teamId, setTeam] = useState('');
  const [types, setTypes] = useState<ReadonlySet<string>>(new Set(['Issue', 'Comment']));
  const [error, setError] = useState<string | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const make = async (): Promise<void> => {
    setError(null);
    try {
      const { webhookCreate } = await ask<Made>(CREATE, {
        input: {
          url,
          ...(label !== '' && { label }),
          resourceTypes: [...types],
          ...(teamId === '' ? { allPublicTeams: true } : { teamId }),
        },
      });
      setSecret(webhookCreate.webhook.secret ?? '');
      await lookAgain();
    } catch (refused) {
      setError(refusal(refused));
    }
  };
  const takeInbox = async (): Promise<void> => {
    try {
      const inbox = await rest<{ url: string }>('POST /sandboxes/self/inboxes', { body: { name: label || 'tracker' } });
      setUrl(inbox.url);
    } catch (refused) {
      setError(refusal(refused));
    }
  };
  const toggle = (type: string): void => {
    const next = new Set(types);
    if (!next.delete(type)) next.add(type);
    setTypes(next);
  };
  if (secret !== null)
    return (
      <Dialog title="The webhook was made" isOpen size="small" onClose={onClose}>
        <div className={styles.form}>
          <Secret label="Signing secret" value={secret} />
          <div className={styles.buttons}>
            <Button kind="primary" onPress={onClose}>
              Done
            </Button>
          </div>
        </div>
      </Dialog>
    );
  return (
    <Dialog title="New webhook" isOpen onClose={onClose}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (url.trim() !== '' && types.size > 0) void make();
        }}
      >
        <Field label="URL" placeholder="http://127.0.0.1:9000/linear" value={url} onChange={setUrl} autoFocus />
        <div>
          <Button size="small" onPress={() => void takeInbox()}>
            Use an inbox of this server
          </Button>
        </div>
        <div className={styles.pairs}>
          <Field label="Label" value={label} onChange={setLabel} />
          <Choice
            label="Team"
            value={teamId}
            options={[['', 'All public teams'], ...teams.map(({ id, name }): [string, string] => [id, name])]}
            onChange={setTeam}
          />
        </div>
        <fieldset className={own.choices}>
          <legend>What it is told of</legend>
          {TYPES.map((type) => (
            <label key={type}>
              <input type="checkbox" checked={types.has(type)} onChange={() => toggle(type)} /> {type}
            </label>
          ))}
        </fieldset>
        <ErrorLine>{error}</ErrorLine>
        <div className={styles.buttons}>
          <Button onPress={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isDisabled={url.trim() === '' || types.size === 0}>
            Create webhook
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
