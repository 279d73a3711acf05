import type { ReactNode } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { CircleDot, Lock } from 'lucide-react';
import { useParams } from 'wouter';
import { useGo } from '../kit/link.js';
import { rest } from '../api/client.js';
import { wordsFor } from '../api/errors.js';
import { directory, fullName } from '../api/directory.js';
import { useFaults, useSandbox } from '../api/sandbox.js';
import { useStore } from '../kit/store.js';
import { useCurrentUser } from '../api/current-user.js';
import { Button } from '../kit/button.js';
import { Empty } from '../kit/misc.js';
import { Tabs } from '../kit/tabs.js';
import { say } from '../kit/toasts.js';
import { ChangesPanel } from './changes.js';
import { ClockPanel } from './clock.js';
import { Deliveries } from './deliveries.js';
import { Faults } from './faults.js';
import { Limits } from './limits.js';
import { Traffic } from './traffic.js';
import styles from './inspect.module.css';

/** The traffic of apps. Admins only, as it shows everyone's. */
export function InspectPage({ view }: { view: string }): ReactNode {
  const { team, isAdmin } = useCurrentUser();
  const { entry } = useParams<{ entry?: string }>();
  const navigate = useGo();
  const faults = useFaults();
  const armed = (faults.data ?? []).filter((fault) => fault.times === null || fault.fired < fault.times).length;
  if (!isAdmin) return <NotForMembers />;
  const tabs = [
    { id: 'inspect', title: 'Traffic', content: <Traffic entry={entry} /> },
    { id: 'deliveries', title: 'Deliveries', content: <Deliveries /> },
    { id: 'changes', title: 'Changes', content: <ChangesPanel /> },
    { id: 'faults', title: armed > 0 ? `Faults (${armed})` : 'Faults', content: <Faults /> },
    { id: 'limits', title: 'Limits', content: <Limits /> },
    { id: 'clock', title: 'Clock', content: <ClockPanel /> },
  ];
  return (
    <main id="main" className={styles.page}>
      <h1 className="visually-hidden">Inspector</h1>
      <NotRecording />
      <Tabs label="Inspector" tabs={tabs} selected={view} onSelect={(id) => navigate(`/w/${team.id}/${id}`)} />
    </main>
  );
}

function NotRecording(): ReactNode {
  const sandbox = useSandbox();
  const client = useQueryClient();
  if (sandbox.data?.journal !== false) return null;
  const start = (): void =>
    void rest('PATCH /sandboxes/self', { body: { journal: true } }).then(
      () => client.invalidateQueries({ queryKey: ['sandbox'] }),
      (error: unknown) => say(wordsFor(error), { tone: 'bad' }),
    );
  return (
    <div className={styles.notice}>
      <span>Calls and their responses are not recorded here.</span>
      <Button size="small" kind="primary" icon={<CircleDot size={13} />} onPress={start}>
        Record calls in this workspace
      </Button>
    </div>
  );
}

function NotForMembers(): ReactNode {
  const users = useStore(directory);
  const admins = [...users.values()].filter((user) => user.is_admin && !user.is_bot).map(fullName);
  return (
    <main id="main" className={styles.page}>
      <h1 className="visually-hidden">Inspector</h1>
      <Empty title="The Inspector is for admins" icon={<Lock size={22} />}>
        It shows the traffic of everybody in this workspace.{' '}
        {admins.length > 0 && `Admins here: ${admins.slice(0, 5).join(', ')}.`}
      </Empty>
    </main>
  );
}
