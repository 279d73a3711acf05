import { useState, type ReactNode } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { everything, type App } from '../api/apps.js';
import { urlOf } from '../api/base.js';
import { rest } from '../api/client.js';
import { useCurrentUser } from '../api/current-user.js';
import { directory, fullName } from '../api/directory.js';
import { wordsFor } from '../api/errors.js';
import { Button } from '../kit/button.js';
import { Confirm } from '../kit/dialog.js';
import { Switch } from '../kit/field.js';
import { Badge, CopyButton, Id, Secret } from '../kit/misc.js';
import { useStore } from '../kit/store.js';
import { say } from '../kit/toasts.js';
import { ago } from '../text/time.js';
import { InstallDialog } from './install-dialog.js';
import { Scopes } from './scopes.js';
import styles from './apps.module.css';

/** Where an app is installed. */
interface Installation {
  team_id: string;
  team: string;
  bot_user_id: string | null;
  scopes: { bot: string[]; user: string[] };
  users: string[];
  installed: number;
  home: boolean;
}

interface Manifest {
  oauth_config?: { scopes?: { bot?: string[]; user?: string[] } };
  settings?: { token_rotation_enabled?: boolean };
}

const bad = (error: unknown): void => {
  say(wordsFor(error), { tone: 'bad' });
};

/** How an app is installed: where people are sent, with which client, and where it is installed already. */
export function Install({ app }: { app: App }): ReactNode {
  const client = useQueryClient();
  const [asked, setAsked] = useState<'install' | 'rotate' | 'rotation' | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const manifest = (app.manifest ?? {}) as Manifest;
  const urls = app.redirect_urls;
  const rotates = manifest.settings?.token_rotation_enabled === true;
  const change = (work: Promise<unknown>, done: string): void => {
    setAsked(null);
    void work.then(async () => {
      say(done);
      await client.invalidateQueries({ queryKey: ['apps'] });
    }, bad);
  };
  const rotate = (): void => {
    setAsked(null);
    void rest<{ client_secret: string }>(`POST /apps/${app.id}/client-secret/rotate`, { body: {} }).then(
      (made) => setSecret(made.client_secret),
      bad,
    );
  };
  return (
    <div className={styles.section}>
      <div className={styles.buttons}>
        <Button kind="primary" onPress={() => setAsked('install')}>
          Install…
        </Button>
        <CopyButton words label="Copy link to install" text={linkTo(app)} />
      </div>
      <h2 className={styles.subtitle}>Redirect URLs</h2>
      <ul className={styles.plain}>
        {urls.map((url) => (
          <li key={url}>
            <code className={styles.url}>{url}</code>
          </li>
        ))}
        {urls.length === 0 && (
          <li className={styles.note}>
            None: add them to the manifest, under oauth_config.redirect_urls. The default app takes any http URL of this
            machine.
          </li>
        )}
      </ul>
      <h2 className={styles.subtitle}>Client</h2>
      <Secret label="Client ID" value={app.client_id ?? ''} />
      {secret !== null && (
        <>
          <Secret label="Client secret" value={secret} />
          <p className={styles.note}>Copy it now: only a hash of it is stored.</p>
        </>
      )}
      <div className={styles.buttons}>
        <Button onPress={() => setAsked('rotate')}>Rotate client secret…</Button>
      </div>
      <Switch
        isSelected={app.distributed}
        onChange={(distributed) =>
          change(
            rest(`PUT /apps/${app.id}/distribution`, { body: { distributed } }),
            distributed ? 'Other workspaces may install it.' : 'Only this workspace may install it from now on.',
          )
        }
      >
        Distributed: other workspaces may install it
      </Switch>
      <Switch isSelected={rotates} isDisabled={rotates} onChange={() => setAsked('rotation')}>
        Token rotation{rotates ? ' (stays on)' : ''}
      </Switch>
      <h2 className={styles.subtitle}>Installations</h2>
      <Installations app={app} />
      {asked === 'install' && <InstallDialog app={app} onClose={() => setAsked(null)} />}
      <Confirm
        title="Rotate the client secret?"
        verb="Rotate"
        isOpen={asked === 'rotate'}
        onClose={() => setAsked(null)}
        onConfirm={rotate}
      >
        <p>The old one stops working at once.</p>
      </Confirm>
      <Confirm
        title="Turn on token rotation?"
        verb="Turn on"
        isOpen={asked === 'rotation'}
        onClose={() => setAsked(null)}
        onConfirm={() =>
          change(
            rest(`PUT /apps/${app.id}/manifest`, {
              body: { manifest: { ...manifest, settings: { ...manifest.settings, token_rotation_enabled: true } } },
            }),
            'Tokens of installations from now on rotate.',
          )
        }
      >
        <p>New tokens live for 12 hours and are refreshed by the app. This cannot be turned off again.</p>
      </Confirm>
    </div>
  );
}

/** The authorize URL that asks for what the manifest names. */
function linkTo(app: App): string {
  const { bot = [], user = [] } = ((app.manifest ?? {}) as Manifest).oauth_config?.scopes ?? {};
  const url = urlOf('oauth/v2/authorize');
  url.searchParams.set('client_id', app.client_id ?? '');
  if (bot.length > 0) url.searchParams.set('scope', bot.join(','));
  if (user.length > 0) url.searchParams.set('user_scope', user.join(','));
  return url.href;
}

/** The workspaces that have the app, with what each granted; it is taken out of this one here, of others there. */
function Installations({ app }: { app: App }): ReactNode {
  const { team, isAdmin } = useCurrentUser();
  const people = useStore(directory);
  const client = useQueryClient();
  const [isEnding, setEnding] = useState(false);
  const found = useQuery({
    queryKey: ['installations', app.id],
    queryFn: () => everything<Installation>(`/apps/${app.id}/installations`, 'installations'),
    retry: false,
  });
  const uninstall = (): void => {
    setEnding(false);
    void rest(`DELETE /apps/${app.id}/installation`).then(async () => {
      say(`${app.name} is no longer installed in ${team.name}.`);
      await Promise.all(
        [['apps'], ['app', app.id], ['installations', app.id]].map((queryKey) =>
          client.invalidateQueries({ queryKey }),
        ),
      );
    }, bad);
  };
  const nameOf = (id: string): string => {
    const user = people.get(id);
    return user ? fullName(user) : id;
  };
  return (
    <>
      {found.error && <p>{wordsFor(found.error)}</p>}
      {found.error && app.installed && isAdmin && (
        // of another workspace's app its own admins see where else it is
        <div className={styles.buttons}>
          <Button kind="danger" onPress={() => setEnding(true)}>
            Uninstall from {team.name}…
          </Button>
        </div>
      )}
      <ul className={styles.plain} aria-label="Installations">
        {(found.data ?? []).map((one) => (
          <li key={one.team_id} className={styles.box}>
            <div className={styles.facts}>
              <strong>{one.team}</strong>
              {one.home && <Badge>home</Badge>}
              <Id id={one.team_id} />
              <span className={styles.note}>installed {ago(new Date(one.installed * 1000))}</span>
            </div>
            <Granted title="As a bot" scopes={one.scopes.bot} />
            <Granted title="For people" scopes={one.scopes.user} />
            {one.users.length > 0 && <span className={styles.note}>Granted by {one.users.map(nameOf).join(', ')}</span>}
            {one.team_id === team.id && (
              <Button size="small" kind="danger" isDisabled={!isAdmin} onPress={() => setEnding(true)}>
                Uninstall…
              </Button>
            )}
          </li>
        ))}
        {found.data?.length === 0 && <li className={styles.note}>It is installed nowhere.</li>}
      </ul>
      <Confirm
        title={`Uninstall ${app.name} from ${team.name}?`}
        verb="Uninstall"
        isOpen={isEnding}
        onClose={() => setEnding(false)}
        onConfirm={uninstall}
      >
        <p>
          Its tokens stop at once and its bot leaves all channels. The app stays registered and can be installed again.
        </p>
      </Confirm>
    </>
  );
}

const Granted = ({ title, scopes }: { title: string; scopes: readonly string[] }): ReactNode =>
  scopes.length > 0 && (
    <div className={styles.facts}>
      <span className={styles.note}>{title}</span>
      <Scopes scopes={scopes} />
    </div>
  );
