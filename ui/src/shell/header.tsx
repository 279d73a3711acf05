import { memo, type ReactNode } from 'react';
import { Check, ChevronDown, Wifi, WifiOff, Zap, Clock3 } from 'lucide-react';
import { Button as AriaButton, TooltipTrigger } from 'react-aria-components';
import { Link, useGo } from '../kit/link.js';
import { connection, offlineSince } from '../api/realtime.js';
import { useClock, useFaults } from '../api/sandbox.js';
import { useStore } from '../kit/store.js';
import { useCurrentUser } from '../api/current-user.js';
import { Hint } from '../kit/button.js';
import { Menu, MenuItem, MenuLine } from '../kit/menu.js';
import { AccountMenu } from './account-menu.js';
import { SandboxMenu } from './sandbox-menu.js';
import { SearchBox } from './search-box.js';
import { useHasLasted } from './use-has-lasted.js';
import styles from './header.module.css';

/** The header above every section; navigation does not render it again. */
export const Header = memo(function Header(): ReactNode {
  const who = useCurrentUser();
  return (
    <header className={styles.header}>
      <Workspaces />
      <SearchBox />
      <div className={styles.right}>
        {who.isAdmin && <Warnings />}
        {who.isAdmin && <SandboxMenu />}
        <ConnectionDot />
        <AccountMenu />
      </div>
    </header>
  );
});

function Workspaces(): ReactNode {
  const { session, team } = useCurrentUser();
  const navigate = useGo();
  const teams = [...new Map(session.signed_in.map((one) => [one.team.id, one])).values()];
  return (
    <Menu
      label="Workspaces"
      placement="bottom start"
      trigger={
        <AriaButton className={styles.workspace ?? ''}>
          <span className="visually-hidden">Workspace:</span>
          <span className={styles.mark} aria-hidden>
            {team.name.slice(0, 1).toUpperCase()}
          </span>
          <bdi className={styles.teamName}>{team.name}</bdi>
          <ChevronDown size={14} aria-hidden />
        </AriaButton>
      }
    >
      {teams.map((one) => (
        <MenuItem
          key={one.team.id}
          textValue={one.team.name}
          note={`${one.team.domain} · as ${one.user.name}`}
          icon={one.team.id === team.id ? <Check size={15} /> : <span className={styles.gap} />}
          onAction={() => navigate(`/w/${one.team.id}`)}
        >
          {one.team.name}
        </MenuItem>
      ))}
      <MenuLine />
      <MenuItem onAction={() => navigate('/sign-in?more=1')}>Sign in to another workspace</MenuItem>
    </Menu>
  );
}

/** Warns of anything that changes answers: active faults, a changed clock. */
function Warnings(): ReactNode {
  const { team } = useCurrentUser();
  const faults = useFaults();
  const clock = useClock();
  const armed = (faults.data ?? []).filter((fault) => fault.times === null || fault.fired < fault.times).length;
  return (
    <>
      {armed > 0 && (
        <Link href={`/w/${team.id}/faults`} className={styles.warning}>
          <Zap size={13} aria-hidden />
          {armed === 1 ? '1 fault armed' : `${armed} faults armed`}
        </Link>
      )}
      {clock.data && (clock.data.frozen || Math.abs(clock.data.offset_ms) > 1_000) && (
        <Link href={`/w/${team.id}/clock`} className={styles.warning}>
          <Clock3 size={13} aria-hidden />
          {clock.data.frozen ? 'clock frozen' : 'clock shifted'}
        </Link>
      )}
    </>
  );
}

const GAP_SHOWN_MS = 2_000;

function ConnectionDot(): ReactNode {
  const now = useStore(connection);
  const isLong = useHasLasted(useStore(offlineSince), GAP_SHOWN_MS);
  // a short gap is not shown
  const state = now === 'offline' && !isLong ? 'live' : now;
  const words = { live: 'Live', connecting: 'Connecting…', offline: 'No connection: trying again' }[state];
  return (
    <TooltipTrigger delay={300}>
      <AriaButton className={`${styles.connection} ${styles[state]}`} aria-label={words} excludeFromTabOrder>
        {state === 'offline' ? <WifiOff size={14} aria-hidden /> : <Wifi size={14} aria-hidden />}
        <span className={styles.connectionWord}>{state === 'live' ? 'live' : state}</span>
      </AriaButton>
      <Hint>{words}</Hint>
    </TooltipTrigger>
  );
}
