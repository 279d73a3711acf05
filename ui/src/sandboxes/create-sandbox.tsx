import { useState, type ReactNode } from 'react';
import { documentFault } from '../api/document-fault.js';
import { envLines, type Credentials } from '../api/environment.js';
import { Button } from '../kit/button.js';
import { Dialog } from '../kit/dialog.js';
import { DocumentEditor, parseDocument, type DocumentFault } from '../kit/document-editor.js';
import { Field } from '../kit/field.js';
import { CopyButton, Secret } from '../kit/misc.js';
import styles from './sandboxes.module.css';

const EXAMPLE = `users:
  - { name: alice, real_name: Alice Doe }
channels:
  - name: war-room
    members: [alice]
    messages:
      - { as: alice, text: "deploy please" }
`;

interface CreateProps {
  readonly create: (body: object) => Promise<Record<string, unknown>>;
  readonly onClose: () => void;
  readonly onMade: () => void;
}

/** Creates a sandbox from a document; its credentials are shown once. */
/** `api_key` as "API key", `client_id` as "Client ID". */
function nameOfCredential(key: string): string {
  const words = key
    .replaceAll('_', ' ')
    .replace(/\bapi\b/, 'API')
    .replace(/\bid\b/, 'ID');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function CreateSandbox({ create, onClose, onMade }: CreateProps): ReactNode {
  const [name, setName] = useState('');
  const [hours, setHours] = useState('24');
  const [source, setSource] = useState(EXAMPLE);
  const [fault, setFault] = useState<DocumentFault | null>(null);
  const [made, setMade] = useState<Credentials | null>(null);
  const go = async (): Promise<void> => {
    setFault(null);
    try {
      const document = ((await parseDocument(source)) ?? {}) as object;
      const answer = await create({
        ...document,
        ...(name === '' ? {} : { name }),
        ttl_seconds: hours === '' ? null : Math.round(Number(hours) * 3600),
      });
      setMade(answer['credentials'] as Credentials);
      onMade();
    } catch (failure) {
      setFault(await documentFault(source, failure));
    }
  };
  if (made) {
    const rows = Object.entries(made).filter((row): row is [string, string] => typeof row[1] === 'string');
    return (
      <Dialog
        title="The sandbox is ready"
        size="large"
        isOpen
        onClose={onClose}
        actions={
          <>
            <CopyButton words label="Copy as .env" text={envLines(made)} />
            <Button kind="primary" onPress={onClose}>
              Done
            </Button>
          </>
        }
      >
        <div className={styles.form}>
          {rows.map(([key, value]) => (
            <Secret key={key} label={nameOfCredential(key)} value={value} />
          ))}
          <p>Copy what you need now: these are not shown again.</p>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog
      title="New sandbox"
      size="large"
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button kind="primary" onPress={() => void go()}>
            Create
          </Button>
        </>
      }
    >
      <div className={styles.form}>
        <Field label="Name" value={name} onChange={setName} placeholder="worker 3" maxLength={80} />
        <Field label="Lives for (hours)" value={hours} onChange={setHours} placeholder="forever" inputMode="decimal" />
        <DocumentEditor label="Seed document" language="yaml" source={source} fault={fault} onChange={setSource} />
      </div>
    </Dialog>
  );
}
