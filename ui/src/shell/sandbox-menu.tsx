import { useState, type ReactNode } from 'react';
import { Camera, CircleDot, CircleOff, FlaskConical, History, RotateCcw } from 'lucide-react';
import { Button as AriaButton } from 'react-aria-components';
import { useQueryClient } from '@tanstack/react-query';
import { rest } from '../api/client.js';
import { wordsFor } from '../api/errors.js';
import { useSandbox, useSnapshots } from '../api/sandbox.js';
import { useCurrentUser } from '../api/current-user.js';
import { Button } from '../kit/button.js';
import { Confirm, Dialog } from '../kit/dialog.js';
import { Field } from '../kit/field.js';
import { Menu, MenuItem, MenuLine, MenuSection } from '../kit/menu.js';
import { say } from '../kit/toasts.js';
import styles from './header.module.css';

/** The menu of this workspace's sandbox: recording, snapshots, reset. */
export function SandboxMenu(): ReactNode {
  const { team } = useCurrentUser();
  const client = useQueryClient();
  const sandbox = useSandbox();
  const snapshots = useSnapshots();
  const [reset, setReset] = useState<string | null>(null);
  const [naming, setNaming] = useState(false);
  const name = sandbox.data?.name ?? team.name;
  const recording = sandbox.data?.journal === true;
  const attempt = (work: Promise<unknown>, done: string): void =>
    void work.then(
      async () => {
        say(done);
        await client.invalidateQueries();
      },
      (error: unknown) => say(wordsFor(error), { tone: 'bad' }),
    );
  const doReset = (): void => {
    const to = reset ?? 'baseline';
    setReset(null);
    attempt(rest('POST /sandboxes/self/reset', { body: { to } }), `Reset to ${to}.`);
  };
  return (
    <>
      <Menu
        label="Sandbox"
        trigger={
          <AriaButton
            className={styles.menuButton ?? ''}
            aria-label={`Sandbox: ${name}${sandbox.data?.journal === false ? ', not recording' : ''}`}
          >
            <FlaskConical size={15} aria-hidden />
            <bdi className={styles.menuWord}>{name}</bdi>
            {sandbox.data?.journal === false && <CircleOff size={13} aria-hidden className={styles.notRecording} />}
          </AriaButton>
        }
      >
        <MenuItem
          icon={<CircleDot size={15} />}
          note={recording ? 'Calls and their responses are recorded' : 'Only events are recorded'}
          textValue="Recording"
          onAction={() =>
            attempt(
              rest('PATCH /sandboxes/self', { body: { journal: !recording } }),
              recording ? 'Recording stopped.' : 'Recording started.',
            )
          }
        >
          {recording ? 'Recording is on' : 'Recording is off'}
        </MenuItem>
        <MenuLine />
        <MenuItem icon={<Camera size={15} />} onAction={() => setNaming(true)}>
          Take a snapshot…
        </MenuItem>
        <MenuItem icon={<RotateCcw size={15} />} onAction={() => setReset('baseline')}>
          Reset to baseline
        </MenuItem>
        {(snapshots.data?.length ?? 0) > 0 && (
          <MenuSection title="Reset to a snapshot">
            {(snapshots.data ?? []).slice(0, 20).map((snapshot) => (
              <MenuItem
                key={snapshot.id}
                icon={<History size={15} />}
                note={`${snapshot.rows} rows`}
                textValue={snapshot.name}
                onAction={() => setReset(snapshot.name)}
              >
                {snapshot.name}
              </MenuItem>
            ))}
          </MenuSection>
        )}
      </Menu>
      <Confirm
        title={`Reset to ${reset ?? ''}?`}
        verb="Reset"
        isOpen={reset !== null}
        onClose={() => setReset(null)}
        onConfirm={doReset}
      >
        <p>
          Everything in this workspace goes back to how it was then: messages, channels, issues, apps, the clock. The
          timeline stays.
        </p>
      </Confirm>
      {naming && (
        <NameSnapshot
          onClose={() => setNaming(false)}
          onNamed={(chosen) =>
            attempt(rest('POST /sandboxes/self/snapshots', { body: { name: chosen } }), `Snapshot “${chosen}” taken.`)
          }
        />
      )}
    </>
  );
}

function NameSnapshot({ onClose, onNamed }: { onClose: () => void; onNamed: (name: string) => void }): ReactNode {
  const [name, setName] = useState('');
  const take = (): void => {
    onClose();
    onNamed(name);
  };
  return (
    <Dialog
      title="Take a snapshot"
      size="small"
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button kind="primary" isDisabled={name.trim() === '' || name === 'baseline'} onPress={take}>
            Take
          </Button>
        </>
      }
    >
      <Field
        label="Name"
        autoFocus
        placeholder="before the deploy"
        value={name}
        onChange={setName}
        note="The same name again replaces it."
        maxLength={80}
      />
    </Dialog>
  );
}
