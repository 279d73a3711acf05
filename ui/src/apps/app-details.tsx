import { useState, type ReactNode } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ArrowLeft } from 'lucide-react';
import { Link, useGo } from '../kit/link.js';
import { agentTextsOf, agentViewOf, useCommands, type App } from '../api/apps.js';
import { rest } from '../api/client.js';
import { wordsFor } from '../api/errors.js';
import { useCurrentUser } from '../api/current-user.js';
import { Button } from '../kit/button.js';
import { Confirm } from '../kit/dialog.js';
import { Id, Secret } from '../kit/misc.js';
import { Tabs } from '../kit/tabs.js';
import { say } from '../kit/toasts.js';
import { ago } from '../text/time.js';
import { Install } from './install.js';
import { Manifest } from './manifest.js';
import { Scopes } from './scopes.js';
import { Subscriptions, useSubscriptions } from './subscriptions.js';
import { Webhooks } from './webhooks.js';
import styles from './apps.module.css';

interface Details {
  tokens: { kind: string; hint: string; created: number; last_used_at: number | null }[];
  open_sockets: number;
  socket_mode?: string;
}

export function AppDetails({ app, tab }: { app: App; tab: string | undefined }): ReactNode {
  const { team, methods } = useCurrentUser();
  const navigate = useGo();
  const client = useQueryClient();
  const [deleting, setDeleting] = useState(false);
  const subscriptions = useSubscriptions().filter((one) => one.app_id === app.id);
  const remove = (): void =>
    void rest(`DELETE /apps/${app.id}`).then(
      async () => {
        await client.invalidateQueries({ queryKey: ['apps'] });
        navigate(`/w/${team.id}/apps`);
      },
      (error: unknown) => say(wordsFor(error), { tone: 'bad' }),
    );
  const tabs = [
    { id: 'overview', title: 'Overview', content: <Overview app={app} /> },
    ...(methods === 'all' ? [{ id: 'install', title: 'Install', content: <Install app={app} /> }] : []),
    { id: 'tokens', title: 'Tokens', content: <Tokens app={app} /> },
    { id: 'credentials', title: 'Credentials', content: <Credentials app={app} /> },
    { id: 'events', title: 'Events', content: <Subscriptions app={app} subscriptions={subscriptions} /> },
    { id: 'commands', title: 'Commands', content: <Commands app={app} /> },
    { id: 'webhooks', title: 'Webhooks', content: <Webhooks app={app} /> },
    { id: 'manifest', title: 'Manifest', content: <Manifest app={app} /> },
  ];
  return (
    <section className={styles.details} aria-label={app.name}>
      <header className={styles.head}>
        <Link href={`/w/${team.id}/apps`} className={styles.back} aria-label="All apps">
          <ArrowLeft size={18} />
        </Link>
        <h1 className={styles.title}>{app.name}</h1>
        <Id id={app.id} />
        <span className={styles.gap} />
        <Button size="small" kind="danger" onPress={() => setDeleting(true)}>
          Delete…
        </Button>
      </header>
      <Tabs
        label="App"
        tabs={tabs}
        selected={tab ?? 'overview'}
        onSelect={(next) => navigate(`/w/${team.id}/apps/${app.id}/${next}`, { replace: true })}
      />
      <Confirm
        title={`Delete ${app.name}?`}
        verb="Delete"
        isOpen={deleting}
        onClose={() => setDeleting(false)}
        onConfirm={remove}
      >
        <p>Its tokens, subscriptions, commands and webhooks stop at once.</p>
      </Confirm>
    </section>
  );
}

const useDetails = (app: App) =>
  useQuery({
    queryKey: ['app', app.id],
    queryFn: () => rest<Details & Record<string, unknown>>(`GET /apps/${app.id}`),
    retry: false,
  });

const socketsOf = (open: number): string => (open === 1 ? '1 open connection' : `${open} open connections`);

function Overview({ app }: { app: App }): ReactNode {
  const details = useDetails(app);
  const rows: [string, ReactNode][] = [
    [
      'Bot',
      <span key="bot" className={styles.ids}>
        {app.bot_user_id === null ? 'none: it was never installed' : <Id id={app.bot_user_id} />}
        {app.bot_id !== null && <Id id={app.bot_id} />}
      </span>,
    ],
    ['Bot scopes', <Scopes key="bot-scopes" scopes={app.scopes.bot} />],
    ['User scopes', <Scopes key="user-scopes" scopes={app.scopes.user} />],
    ['Interactivity', app.interactivity_url ?? 'no URL'],
    ['Socket Mode', `${details.data?.socket_mode ?? 'auto'} · ${socketsOf(details.data?.open_sockets ?? 0)}`],
  ];
  const view = agentViewOf(app);
  if (view !== null) rows.push(['To people', <AgentView key="agent" app={app} view={view} />]);
  return (
    <dl className={styles.section}>
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt className={styles.note}>{name}</dt>
          <dd className={styles.value}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const VIEWS = { agent: 'An agent', assistant: 'An assistant', both: 'An agent and an assistant' } as const;

/** What the app is to people, and the prompts that they see until it sets its own. */
function AgentView({ app, view }: { app: App; view: keyof typeof VIEWS }): ReactNode {
  const { description, prompts } = agentTextsOf(app);
  return (
    <>
      <p>{description === '' ? VIEWS[view] : `${VIEWS[view]}: ${description}`}</p>
      {prompts.length > 0 && (
        <ul className={styles.prompts} aria-label="Suggested prompts">
          {prompts.map((prompt, index) => (
            <li key={index}>
              <strong>{String(prompt['title'] ?? '')}</strong> {String(prompt['message'] ?? '')}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** Kinds of token, and why an app may lack one. */
const KINDS = [
  ['bot', 'Bot', 'it was revoked'],
  ['user', 'User', 'the manifest asks for no user scopes'],
  ['app', 'App-level', 'Socket Mode is off'],
] as const;

function Tokens({ app }: { app: App }): ReactNode {
  const details = useDetails(app);
  const client = useQueryClient();
  const [asked, setAsked] = useState<string | null>(null);
  const [fresh, setFresh] = useState<Record<string, string>>({});
  const rotate = async (): Promise<void> => {
    const kind = asked;
    setAsked(null);
    try {
      const made = await rest<Record<string, string>>(`POST /apps/${app.id}/tokens/rotate`, { body: { kind } });
      setFresh(Object.fromEntries(Object.entries(made).filter(([key]) => key.endsWith('_token'))));
      await client.invalidateQueries({ queryKey: ['app', app.id] });
    } catch (error) {
      say(wordsFor(error), { tone: 'bad' });
    }
  };
  if (details.error) return <p className={styles.section}>{wordsFor(details.error)}</p>;
  return (
    <div className={styles.section}>
      {Object.entries(fresh).map(([key, value]) => (
        <Secret key={key} label={key.replace('_', ' ')} value={value} />
      ))}
      {Object.keys(fresh).length > 0 && <p className={styles.note}>Copy it now: only a hash of it is stored.</p>}
      {KINDS.map(([kind, words, why]) => {
        const tokens = details.data?.tokens.filter((one) => one.kind === kind) ?? [];
        return (
          <div key={kind} className={styles.token}>
            <strong>{words}</strong>
            <ul className={styles.hints}>
              {tokens.map((token) => (
                <li key={`${token.hint}${token.created}`}>
                  <code>{token.hint}</code>{' '}
                  <span className={styles.note}>
                    {token.last_used_at === null
                      ? 'not used recently'
                      : `used ${ago(new Date(token.last_used_at * 1000))}`}
                    {` · created ${ago(new Date(token.created * 1000))}`}
                  </span>
                </li>
              ))}
              {details.data && tokens.length === 0 && <li className={styles.note}>none: {why}</li>}
            </ul>
            {tokens.length > 0 && (
              <Button size="small" onPress={() => setAsked(kind)}>
                Rotate…
              </Button>
            )}
          </div>
        );
      })}
      <Confirm
        title={`Rotate the ${asked} token?`}
        verb="Rotate"
        isOpen={asked !== null}
        onClose={() => setAsked(null)}
        onConfirm={() => void rotate()}
      >
        <p>The old one stops working at once.</p>
      </Confirm>
    </div>
  );
}

function Credentials({ app }: { app: App }): ReactNode {
  const found = useQuery({
    queryKey: ['credentials', app.id],
    queryFn: () => rest<Record<string, string>>(`GET /apps/${app.id}/credentials`),
    retry: false,
  });
  if (found.error) return <p className={styles.section}>{wordsFor(found.error)}</p>;
  return (
    <div className={styles.section}>
      {found.data && <Secret label="Signing secret" value={found.data['signing_secret'] ?? ''} />}
      {found.data && <Secret label="Verification token" value={found.data['verification_token'] ?? ''} />}
      <p className={styles.note}>
        Requests to the app are signed with this secret; the signature is in the header X-Slack-Signature.
      </p>
    </div>
  );
}

function Commands({ app }: { app: App }): ReactNode {
  const commands = (useCommands().data ?? []).filter((one) => one.app_id === app.id);
  return (
    <ul className={styles.section}>
      {commands.map((one) => (
        <li key={one.id} className={styles.box}>
          <strong>
            {one.command} <span className={styles.note}>{one.usage_hint}</span>
          </strong>
          <code className={styles.url}>{one.url}</code>
          {one.description !== '' && <span className={styles.note}>{one.description}</span>}
        </li>
      ))}
      {commands.length === 0 && (
        <li className={styles.note}>No commands: add them to the manifest, under features.slash_commands.</li>
      )}
    </ul>
  );
}
