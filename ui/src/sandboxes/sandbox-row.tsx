import { useState, type ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { MoreHorizontal } from 'lucide-react';
import { wordsFor } from '../api/errors.js';
import type { Sandbox, Snapshot } from '../api/sandbox.js';
import { Button, IconButton } from '../kit/button.js';
import { Dialog } from '../kit/dialog.js';
import { download } from '../kit/download.js';
import { RowCheck } from '../kit/field.js';
import { Menu, MenuItem, MenuLine } from '../kit/menu.js';
import { Empty, Secret, Skeleton } from '../kit/misc.js';
import { say } from '../kit/toasts.js';
import { ago } from '../text/time.js';
import { asAdmin } from './as-admin.js';
import styles from './sandboxes.module.css';

interface RowProps {
  readonly sandbox: Sandbox;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly onDelete: () => void;
  readonly attempt: (work: Promise<unknown>, done: string) => void;
}

/** A sandbox and its actions. */
export function SandboxRow({ sandbox, isChosen, onChoose, onDelete, attempt }: RowProps): ReactNode {
  const [dialog, setDialog] = useState<'reset' | 'token' | null>(null);
  const path = `/sandboxes/${sandbox.id}`;
  const { counts, labels } = sandbox;
  return (
    <tr className={isChosen ? styles.chosen : undefined}>
      <td>
        <RowCheck label={`Select ${sandbox.name}`} isSelected={isChosen} onChange={onChoose} />
      </td>
      <td className={styles.name}>
        <bdi>{sandbox.name}</bdi>
      </td>
      <td className={styles.labels}>
        {Object.entries(labels).map(([key, value]) => (
          <span key={key} className={styles.label} title={`${key}=${value}`}>
            {key}={value}
          </span>
        ))}
      </td>
      <td className={styles.team} title={sandbox.url_key}>
        {sandbox.url_key}
      </td>
      <td>{ago(new Date(sandbox.created * 1000))}</td>
      <td>{sandbox.expires_at === null ? 'never' : ago(new Date(sandbox.expires_at * 1000))}</td>
      {[counts.users, counts.channels, counts.messages, counts.issues].map((count, place) => (
        <td key={place} className={styles.number}>
          {count.toLocaleString('en')}
        </td>
      ))}
      <td>{sandbox.last_call_at === null ? '–' : ago(new Date(sandbox.last_call_at * 1000))}</td>
      <td>
        <div className={styles.actions}>
          <Button size="small" onPress={() => void open(sandbox)}>
            Open
          </Button>
          <Menu
            label={sandbox.name}
            trigger={
              <IconButton label={`More about ${sandbox.name}`} size="small">
                <MoreHorizontal size={15} />
              </IconButton>
            }
          >
            <MenuItem onAction={() => attempt(asAdmin(`POST ${path}/reset`, {}), 'Reset to baseline.')}>
              Reset to baseline
            </MenuItem>
            <MenuItem onAction={() => setDialog('reset')}>Reset to…</MenuItem>
            <MenuItem
              onAction={() =>
                attempt(
                  asAdmin(`POST ${path}/snapshots`, { name: new Date().toISOString().slice(0, 19) }),
                  'Snapshot taken.',
                )
              }
            >
              Snapshot
            </MenuItem>
            <MenuItem
              onAction={() => attempt(asAdmin(`PATCH ${path}`, { ttl_seconds: dayMore(sandbox) }), 'One more day.')}
            >
              Extend by a day
            </MenuItem>
            <MenuItem onAction={() => setDialog('token')}>New control token…</MenuItem>
            <MenuItem onAction={() => void exportDocument(sandbox)}>Export document</MenuItem>
            <MenuLine />
            <MenuItem danger onAction={onDelete}>
              Delete…
            </MenuItem>
          </Menu>
        </div>
        {dialog === 'reset' && <ResetTo sandbox={sandbox} attempt={attempt} onClose={() => setDialog(null)} />}
        {dialog === 'token' && <NewToken sandbox={sandbox} onClose={() => setDialog(null)} />}
      </td>
    </tr>
  );
}

/** The time to live counts from now. */
const dayMore = ({ expires_at: end }: Sandbox): number =>
  Math.min(2_592_000, 86_400 + Math.max(0, Math.round((end ?? 0) - Date.now() / 1000)));

/** Exports the sandbox as a document that creates another one like it. */
async function exportDocument(sandbox: Sandbox): Promise<void> {
  try {
    download(`${sandbox.url_key}.seed.json`, await asAdmin(`GET /sandboxes/${sandbox.id}/seed`));
  } catch (error) {
    say(wordsFor(error), { tone: 'bad' });
  }
}

async function open(sandbox: Sandbox): Promise<void> {
  // opened synchronously: the browser would block it as a pop-up later
  const tab = window.open('about:blank', '_blank');
  try {
    const { url } = await asAdmin<{ url: string }>(`POST /sandboxes/${sandbox.id}/ui-link`, {});
    if (tab) tab.location.href = url;
  } catch (error) {
    tab?.close();
    say(wordsFor(error), { tone: 'bad' });
  }
}

function ResetTo({
  sandbox,
  attempt,
  onClose,
}: Pick<RowProps, 'sandbox' | 'attempt'> & { onClose: () => void }): ReactNode {
  const path = `/sandboxes/${sandbox.id}`;
  const found = useQuery({
    queryKey: ['snapshots-of', sandbox.id],
    queryFn: () => asAdmin<{ snapshots: Snapshot[] }>(`GET ${path}/snapshots`),
    retry: false,
  });
  return (
    <Dialog title={`Reset ${sandbox.name} to…`} size="small" isOpen onClose={onClose}>
      {found.isPending && <Skeleton rows={3} />}
      {found.error && <Empty title={wordsFor(found.error)} />}
      {found.data?.snapshots.length === 0 && <Empty title="No snapshots yet" />}
      <ul className={styles.snapshots}>
        {(found.data?.snapshots ?? []).map((snapshot) => (
          <li key={snapshot.id}>
            <span className={styles.name}>
              <bdi>{snapshot.name}</bdi>
              <span className={styles.count}>
                {ago(new Date(snapshot.created * 1000))} · {snapshot.rows.toLocaleString('en')} rows
              </span>
            </span>
            <Button
              size="small"
              onPress={() => {
                onClose();
                attempt(asAdmin(`POST ${path}/reset`, { to: snapshot.name }), `Reset to ${snapshot.name}.`);
              }}
            >
              Reset
            </Button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

function NewToken({ sandbox, onClose }: { sandbox: Sandbox; onClose: () => void }): ReactNode {
  const [token, setToken] = useState<string | null>(null);
  const make = (): void =>
    void asAdmin<{ control_token: string }>(`POST /sandboxes/${sandbox.id}/control-token`, {}).then(
      (answer) => setToken(answer.control_token),
      (error: unknown) => say(wordsFor(error), { tone: 'bad' }),
    );
  return (
    <Dialog
      title={`Control token of ${sandbox.name}`}
      isOpen
      onClose={onClose}
      actions={
        token === null ? (
          <>
            <Button onPress={onClose}>Cancel</Button>
            <Button kind="danger" onPress={make}>
              Create a new one
            </Button>
          </>
        ) : (
          <Button kind="primary" onPress={onClose}>
            Done
          </Button>
        )
      }
    >
      {token === null ? (
        <p>The current one, and every token that was issued with it, stops working at once.</p>
      ) : (
        <div className={styles.form}>
          <Secret label="Control token" value={token} />
          <p>Copy it now: it is not shown again.</p>
        </div>
      )}
    </Dialog>
  );
}
