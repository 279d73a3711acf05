import { useState, type ReactNode } from 'react';
import { useParams } from 'wouter';
import { useGo } from '../kit/link.js';
import { useQueryClient } from '@tanstack/react-query';
import { rest } from '../api/client.js';
import { config } from '../api/base.js';
import { directory, fullName, loadDirectory } from '../api/directory.js';
import { wordsFor } from '../api/errors.js';
import { writeLocal, readLocal } from '../kit/local-storage.js';
import { actAs } from '../api/persona.js';
import { useSandbox } from '../api/sandbox.js';
import { signOut } from '../api/session.js';
import { useStore } from '../kit/store.js';
import { useCurrentUser } from '../api/current-user.js';
import { Avatar } from '../kit/avatar.js';
import { Button } from '../kit/button.js';
import { Confirm } from '../kit/dialog.js';
import { Choice, Field, Switch } from '../kit/field.js';
import { Badge, Id } from '../kit/misc.js';
import { setTheme, theme, type Theme } from '../kit/theme.js';
import { Tabs } from '../kit/tabs.js';
import { say } from '../kit/toasts.js';
import { setZone, useZone, type Zone } from '../text/time.js';
import { OwnProfile } from '../profile/profile.js';
import { ConfigurationTokens } from './configuration-tokens.js';
import { OauthApplications } from './oauth-applications.js';
import styles from './settings.module.css';

/** Settings of the workspace, its people, and this browser. */
export function SettingsPage(): ReactNode {
  const { team, isAdmin, methods } = useCurrentUser();
  const { part, item } = useParams<{ part?: string; item?: string }>();
  const navigate = useGo();
  const tabs = [
    { id: 'workspace', title: 'Workspace', content: <Workspace /> },
    { id: 'people', title: 'People', content: <People /> },
    { id: 'profile', title: 'Profile', content: <OwnProfile /> },
    { id: 'preferences', title: 'Preferences', content: <Preferences /> },
    { id: 'sign-ins', title: 'Sign-ins', content: <SignIns /> },
    ...(isAdmin
      ? [
          { id: 'oauth-applications', title: 'OAuth applications', content: <OauthApplications item={item} /> },
          ...(methods === 'all'
            ? [{ id: 'configuration-tokens', title: 'Configuration tokens', content: <ConfigurationTokens /> }]
            : []),
          { id: 'danger', title: 'Danger', content: <Danger /> },
        ]
      : []),
  ];
  return (
    <main id="main" className={styles.page}>
      <h1 className={styles.title}>Settings</h1>
      <Tabs
        label="Settings"
        tabs={tabs}
        selected={part ?? 'workspace'}
        onSelect={(next) => navigate(`/w/${team.id}/settings/${next}`, { replace: true })}
      />
    </main>
  );
}

const counted = (count: number, one: string, several = `${one}s`): string => `${count} ${count === 1 ? one : several}`;

function Workspace(): ReactNode {
  const { team, session } = useCurrentUser();
  const sandbox = useSandbox();
  const counts = sandbox.data?.counts;
  const rows: [string, ReactNode][] = [
    ['Name', team.name],
    ['Domain', team.domain],
    ['ID', <Id key="id" id={team.id} />],
    ['Sandbox', session.sandbox_id ? <Id key="sandbox" id={session.sandbox_id} /> : '–'],
    ['Methods', session.methods === 'all' ? 'all' : 'core (27 methods)'],
    ...(counts
      ? [
          [
            'Contents',
            [
              counted(counts.users, 'person', 'people'),
              counted(counts.channels, 'channel'),
              counted(counts.messages, 'message'),
              counted(counts.issues, 'issue'),
            ].join(', '),
          ] as [string, ReactNode],
        ]
      : []),
    ['Version', config.version],
  ];
  return (
    <div className={styles.section}>
      <dl className={styles.facts}>
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p>
        The tracker’s API can be explored here:{' '}
        <a href={`graphiql?team=${team.id}`} target="_blank" rel="noopener">
          open GraphiQL
        </a>
        .
      </p>
    </div>
  );
}

function People(): ReactNode {
  const { isAdmin, id: meId } = useCurrentUser();
  const users = useStore(directory);
  const client = useQueryClient();
  const [name, setName] = useState('');
  const people = [...users.values()]
    .filter((user) => !user.is_bot && !user.deleted)
    .sort((a, b) => fullName(a).localeCompare(fullName(b)));
  const add = (): void =>
    void rest('POST /sandboxes/self/seed', { body: { users: [{ name }] } }).then(
      async () => {
        setName('');
        say('Added.');
        await Promise.all([loadDirectory(), client.invalidateQueries()]);
      },
      (error: unknown) => say(wordsFor(error), { tone: 'bad' }),
    );
  return (
    <div className={styles.section}>
      {isAdmin && (
        <form
          className={styles.line}
          onSubmit={(event) => {
            event.preventDefault();
            add();
          }}
        >
          <Field label="Add a person" placeholder="alice" value={name} onChange={setName} />
          <Button type="submit" isDisabled={!/^[a-z0-9][a-z0-9._-]*$/.test(name)}>
            Add
          </Button>
        </form>
      )}
      <ul className={styles.people}>
        {people.slice(0, 500).map((user) => (
          <li key={user.id} className={styles.person}>
            <Avatar name={fullName(user)} seed={user.id} size={28} />
            <span className={styles.words}>
              <bdi>{fullName(user)}</bdi>
              <span className={styles.note}>@{user.name}</span>
            </span>
            {user.is_admin && <Badge tone="accent">{user.is_owner ? 'owner' : 'admin'}</Badge>}
            {isAdmin && user.id !== meId && (
              <Button
                size="small"
                onPress={() => void actAs(user.id).catch((error: unknown) => say(wordsFor(error), { tone: 'bad' }))}
              >
                Act as
              </Button>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Preferences(): ReactNode {
  const zone = useZone();
  const chosen = useStore(theme);
  const [enter, setEnter] = useState(() => readLocal('enterSends', true));
  return (
    <div className={styles.section}>
      <Switch
        isSelected={enter}
        onChange={(on) => {
          setEnter(on);
          writeLocal('enterSends', on);
        }}
      >
        Enter sends the message; Shift+Enter starts a new line
      </Switch>
      <div className={styles.narrow}>
        <Choice<Theme>
          label="Theme"
          value={chosen}
          options={[
            ['system', 'Match the system'],
            ['light', 'Light'],
            ['dark', 'Dark'],
          ]}
          onChange={setTheme}
        />
        <Choice<Zone>
          label="Times"
          value={zone}
          options={[
            ['local', 'This browser’s time zone'],
            ['utc', 'UTC'],
          ]}
          onChange={setZone}
        />
      </div>
    </div>
  );
}

function SignIns(): ReactNode {
  const { session } = useCurrentUser();
  const navigate = useGo();
  return (
    <div className={styles.section}>
      <ul className={styles.people}>
        {session.signed_in.map((one) => (
          <li key={`${one.team.id}:${one.user.id}`} className={styles.person}>
            <span className={styles.words}>
              {one.team.name}
              <span className={styles.note}>
                {one.team.domain} · as {one.user.name}
              </span>
            </span>
            {one.team.id !== session.team.id && (
              <Button size="small" onPress={() => navigate(`/w/${one.team.id}`)}>
                Switch
              </Button>
            )}
          </li>
        ))}
      </ul>
      <Button onPress={() => void signOut()}>Sign out everywhere</Button>
    </div>
  );
}

function Danger(): ReactNode {
  const { team } = useCurrentUser();
  const [asked, setAsked] = useState<'reset' | 'delete' | null>(null);
  const go = (): void => {
    const work =
      asked === 'reset'
        ? rest('POST /sandboxes/self/reset', { body: {} })
        : rest(`DELETE /sandboxes/self?team_id=${team.id}`);
    const done = asked === 'reset' ? 'Reset to baseline.' : 'Deleted.';
    setAsked(null);
    work.then(
      () => say(done),
      (error: unknown) => say(wordsFor(error), { tone: 'bad' }),
    );
  };
  return (
    <div className={styles.section}>
      <Button kind="danger" onPress={() => setAsked('reset')}>
        Reset to baseline…
      </Button>
      <Button kind="danger" onPress={() => setAsked('delete')}>
        Delete this workspace…
      </Button>
      <Confirm
        title={asked === 'reset' ? 'Reset to baseline?' : `Delete ${team.name}?`}
        verb={asked === 'reset' ? 'Reset' : 'Delete'}
        isOpen={asked !== null}
        onClose={() => setAsked(null)}
        onConfirm={go}
      >
        <p>
          {asked === 'reset'
            ? 'Everything in this workspace goes back to how it was at the start.'
            : 'Its messages, issues, apps and every credential are gone at once.'}
        </p>
      </Confirm>
    </div>
  );
}
