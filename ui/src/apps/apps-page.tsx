import { useState, type ReactNode } from 'react';
import { Boxes, Plus } from 'lucide-react';
import { useParams } from 'wouter';
import { Link, useGo } from '../kit/link.js';
import { useApps, type App } from '../api/apps.js';
import { wordsFor } from '../api/errors.js';
import { useCurrentUser } from '../api/current-user.js';
import { Avatar } from '../kit/avatar.js';
import { Button } from '../kit/button.js';
import { Empty, Skeleton } from '../kit/misc.js';
import { AppDetails } from './app-details.js';
import { NewApp } from './new-app.js';
import { isFailing, useSubscriptions } from './subscriptions.js';
import styles from './apps.module.css';

/** The apps of the workspace. */
export function AppsPage(): ReactNode {
  const { team } = useCurrentUser();
  const { app: id, tab } = useParams<{ app?: string; tab?: string }>();
  const navigate = useGo();
  const [isMaking, setMaking] = useState(false);
  const apps = useApps();
  const app = apps.data?.find((one) => one.id === id);
  return (
    <main id="main" className={styles.page} data-open={id !== undefined}>
      <section className={styles.list} aria-label="Apps">
        <header className={styles.head}>
          {id === undefined ? (
            <h1 className={styles.title}>Apps</h1>
          ) : (
            // the open app is the page's main content
            <h2 className={styles.title}>Apps</h2>
          )}
          <Button size="small" kind="primary" icon={<Plus size={14} />} onPress={() => setMaking(true)}>
            New app
          </Button>
        </header>
        {apps.isPending && <Skeleton />}
        {apps.error && <Empty title={wordsFor(apps.error)} />}
        <ul className={styles.apps}>
          {(apps.data ?? []).map((one) => (
            <li key={one.id}>
              <Row app={one} isCurrent={one.id === id} />
            </li>
          ))}
        </ul>
      </section>
      {app ? (
        <AppDetails key={app.id} app={app} tab={tab} />
      ) : (
        <div className={styles.nothing}>
          <Empty title={id === undefined ? 'Select an app' : 'This app does not exist'} icon={<Boxes size={22} />}>
            <p>
              See its tokens, events, commands and manifest. To create one, write a manifest: you get its tokens at
              once.
            </p>
          </Empty>
        </div>
      )}
      {isMaking && (
        <NewApp onClose={() => setMaking(false)} onMade={(made) => navigate(`/w/${team.id}/apps/${made}`)} />
      )}
    </main>
  );
}

function Row({ app, isCurrent }: { app: App; isCurrent: boolean }): ReactNode {
  const { team } = useCurrentUser();
  const targets = useSubscriptions().filter((one) => one.app_id === app.id);
  const isBad = targets.some(isFailing);
  return (
    <Link
      href={`/w/${team.id}/apps/${app.id}`}
      className={`${styles.row} ${isCurrent ? styles.current : ''}`}
      aria-current={isCurrent ? 'page' : undefined}
    >
      <Avatar name={app.name} seed={app.bot_user_id ?? app.id} size={28} isBot />
      <span className={styles.words}>
        <span className={styles.name}>{app.name}</span>
        <span className={styles.note}>
          {app.scopes.bot.length === 1 ? '1 scope' : `${app.scopes.bot.length} scopes`}
          {!app.installed && ' · not installed'}
          {targets.length > 0 && (targets.length === 1 ? ' · 1 target' : ` · ${targets.length} targets`)}
        </span>
      </span>
      {targets.length > 0 && (
        <span className={isBad ? styles.bad : styles.ok}>
          <span className={styles.dot} aria-hidden />
          {isBad ? 'failing' : 'ok'}
        </span>
      )}
    </Link>
  );
}
