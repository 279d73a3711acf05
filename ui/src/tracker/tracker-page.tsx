import { useEffect, useRef, type ReactNode } from 'react';
import { useParams } from 'wouter';
import { CircleDot, FolderKanban, Inbox, Repeat, Webhook } from 'lucide-react';
import { useCurrentUser } from '../api/current-user.js';
import { Link, useGo } from '../kit/link.js';
import { readLocal, writeLocal } from '../kit/local-storage.js';
import { Empty, Skeleton } from '../kit/misc.js';
import { useFacts } from './facts.js';
import { CyclesView } from './cycles-view.js';
import { HooksView } from './hooks-view.js';
import { InboxView, useUnread } from './inbox-view.js';
import { IssueView } from './issue-view.js';
import { IssuesView } from './issues-view.js';
import { useLiveTracker } from './live.js';
import { ProjectView } from './project-view.js';
import { ProjectsView } from './projects-view.js';
import styles from './tracker.module.css';

/** The screens of the tracker, by the first part of their addresses below the workspace. */
export function TrackerPage({ view }: { view: string }): ReactNode {
  const { key, item } = useParams<{ key?: string; item?: string }>();
  const { team } = useCurrentUser();
  useLiveTracker();
  return (
    <div className={styles.page}>
      <TrackerNav view={view} teamKey={key} />
      <main id="main" key={`${team.id} ${view} ${key} ${item}`} className={styles.main}>
        <Screen view={view} first={key} second={item} />
      </main>
    </div>
  );
}

function Screen({
  view,
  first,
  second,
}: {
  view: string;
  first: string | undefined;
  second: string | undefined;
}): ReactNode {
  if (view === 't' && first === undefined) return <FirstTeam />;
  if (view === 't' && first !== undefined && second === undefined) return <IssuesView teamKey={first} />;
  if (view === 't' && first !== undefined && second !== undefined)
    return <IssueView teamKey={first} identifier={second} />;
  if (view === 'projects') return first === undefined ? <ProjectsView /> : <ProjectView slug={first} />;
  if (view === 'cycles' && first !== undefined) return <CyclesView teamKey={first} />;
  if (view === 'inbox') return <InboxView />;
  if (view === 't-hooks') return <HooksView />;
  return <FirstTeam />;
}

const LAST_TEAM = 'trackerTeam';

/** Leads to the team that was looked at last, or to the first one. */
function FirstTeam(): ReactNode {
  const { team } = useCurrentUser();
  const teams = useFacts()?.teams;
  const go = useGo();
  const last = readLocal<string>(LAST_TEAM, '');
  const first = (teams?.find(({ key }) => key === last) ?? teams?.[0])?.key;
  useEffect(() => {
    if (first !== undefined) go(`/w/${team.id}/t/${first}`, { replace: true });
  }, [first, go, team.id]);
  if (!teams) return <Skeleton />;
  return teams.length === 0 ? (
    <Empty title="No team yet">Let your app call teamCreate, or add one by a seed document.</Empty>
  ) : null;
}

function TrackerNav({ view, teamKey }: { view: string; teamKey: string | undefined }): ReactNode {
  const { team, isAdmin } = useCurrentUser();
  const teams = useFacts()?.teams ?? [];
  const unread = useUnread();
  const at = `/w/${team.id}`;
  useEffect(() => {
    if ((view === 't' || view === 'cycles') && teamKey !== undefined) writeLocal(LAST_TEAM, teamKey);
  }, [view, teamKey]);
  const nav = useRef<HTMLElement>(null);
  // on narrow screens it is a line that scrolls
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [view, teamKey, teams.length]);
  const item = (href: string, isCurrent: boolean, words: ReactNode, icon: ReactNode): ReactNode => (
    <Link href={href} className={styles.navItem} aria-current={isCurrent ? 'page' : undefined}>
      {icon}
      <span className={styles.navWords}>{words}</span>
    </Link>
  );
  return (
    <nav ref={nav} aria-label="Tracker" className={styles.nav}>
      {item(
        `${at}/inbox`,
        view === 'inbox',
        <>Inbox {unread > 0 && <span className={styles.navCount}>{unread}</span>}</>,
        <Inbox size={15} />,
      )}
      {item(`${at}/projects`, view === 'projects', 'Projects', <FolderKanban size={15} />)}
      {isAdmin && item(`${at}/t-hooks`, view === 't-hooks', 'Webhooks', <Webhook size={15} />)}
      <h2 className={styles.navHead}>Teams</h2>
      {teams.map(({ id, key, name }) => (
        <div key={id} className={styles.navTeam}>
          <Link
            href={`${at}/t/${key}`}
            className={styles.navItem}
            aria-current={view === 't' && teamKey === key ? 'page' : undefined}
          >
            <CircleDot size={15} />
            <span className={styles.navWords}>
              <strong>{key}</strong> {name === key ? '' : name}
            </span>
          </Link>
          <Link
            href={`${at}/cycles/${key}`}
            className={styles.navCycles}
            aria-label={`Cycles of ${key}`}
            aria-current={view === 'cycles' && teamKey === key ? 'page' : undefined}
            title="Cycles"
          >
            <Repeat size={14} />
          </Link>
        </div>
      ))}
    </nav>
  );
}
