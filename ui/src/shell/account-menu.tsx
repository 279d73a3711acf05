import { useState, type ReactNode } from 'react';
import { Coffee, LogOut, SlidersHorizontal, UserRound, UserRoundCog } from 'lucide-react';
import { Button as AriaButton } from 'react-aria-components';
import { useGo } from '../kit/link.js';
import { call } from '../api/client.js';
import { directory } from '../api/directory.js';
import { wordsFor } from '../api/errors.js';
import { actAs, stopActing } from '../api/persona.js';
import { signOut } from '../api/session.js';
import { useStore } from '../kit/store.js';
import { useCurrentUser } from '../api/current-user.js';
import { PeopleList } from '../chat/people-list.js';
import { Avatar } from '../kit/avatar.js';
import { Dialog } from '../kit/dialog.js';
import { Menu, MenuItem, MenuLine } from '../kit/menu.js';
import { say } from '../kit/toasts.js';
import styles from './header.module.css';

export function AccountMenu(): ReactNode {
  const who = useCurrentUser();
  const users = useStore(directory);
  const navigate = useGo();
  const [acting, setActing] = useState(false);
  const away = users.get(who.id)?.presence === 'away';
  return (
    <>
      <Menu
        label="Account"
        trigger={
          <AriaButton className={styles.avatar ?? ''} aria-label={`Account: ${who.name}`}>
            <Avatar name={who.name} seed={who.id} size={28} />
          </AriaButton>
        }
      >
        <MenuItem
          icon={<UserRound size={15} />}
          note={`@${users.get(who.id)?.name ?? who.session.user.name}`}
          textValue="Profile"
          onAction={() => navigate(`/w/${who.team.id}/settings/profile`)}
        >
          Profile
        </MenuItem>
        <MenuItem
          icon={<Coffee size={15} />}
          onAction={() =>
            void call('users.setPresence', { presence: away ? 'auto' : 'away' }).catch((error: unknown) =>
              say(wordsFor(error), { tone: 'bad' }),
            )
          }
        >
          {away ? 'Set yourself active' : 'Set yourself away'}
        </MenuItem>
        <MenuItem
          icon={<UserRoundCog size={15} />}
          isDisabled={!who.isAdmin}
          textValue="Act as…"
          note={who.isAdmin ? undefined : 'Only admins can act as somebody else.'}
          onAction={() => setActing(true)}
        >
          Act as…
        </MenuItem>
        {who.persona && <MenuItem onAction={stopActing}>Stop acting as {who.persona.realName}</MenuItem>}
        <MenuLine />
        <MenuItem
          icon={<SlidersHorizontal size={15} />}
          onAction={() => navigate(`/w/${who.team.id}/settings/preferences`)}
        >
          Preferences
        </MenuItem>
        <MenuItem
          icon={<LogOut size={15} />}
          onAction={() => void signOut(who.team.id).then(() => navigate('/sign-in'))}
        >
          Sign out
        </MenuItem>
      </Menu>
      {acting && <ActAs onClose={() => setActing(false)} />}
    </>
  );
}

function ActAs({ onClose }: { onClose: () => void }): ReactNode {
  const who = useCurrentUser();
  const choose = (id: string | undefined): void => {
    if (id === undefined) return;
    if (id === who.session.user.id) stopActing();
    else void actAs(id).catch((error: unknown) => say(wordsFor(error), { tone: 'bad' }));
    onClose();
  };
  return (
    <Dialog title="Act as…" note="In this tab you chat as that person" isOpen onClose={onClose}>
      <PeopleList
        label="People"
        onChange={([id]) => choose(id)}
        isDisabled={(user) => (user.is_bot ? 'Call the API with its token.' : null)}
      />
    </Dialog>
  );
}
