import { useMemo, useState, type KeyboardEvent, type ReactNode } from 'react';
import { useGo } from '../kit/link.js';
import { call } from '../api/client.js';
import { conversations, loadConversations } from '../api/conversations.js';
import { directory, displayName, fullName } from '../api/directory.js';
import { wordsFor } from '../api/errors.js';
import { stopActing } from '../api/persona.js';
import { useStore } from '../kit/store.js';
import { useCurrentUser } from '../api/current-user.js';
import { Dialog } from '../kit/dialog.js';
import { Field } from '../kit/field.js';
import { say } from '../kit/toasts.js';
import { overlay } from './keys.js';
import { setTheme } from '../kit/theme.js';
import styles from './overlays.module.css';

export function Overlays(): ReactNode {
  const open = useStore(overlay);
  const close = (): void => overlay.set(null);
  if (open === 'switcher') return <Switcher onClose={close} />;
  if (open === 'keys') return <KeyList onClose={close} />;
  return null;
}

interface Goal {
  readonly key: string;
  readonly words: string;
  readonly note: string;
  readonly go: () => void;
}

const MAX_SHOWN = 12;

/** Goes to a channel, person or section by typing its name. */
function Switcher({ onClose }: { onClose: () => void }): ReactNode {
  const { team, isAdmin } = useCurrentUser();
  const rooms = useStore(conversations);
  const users = useStore(directory);
  const navigate = useGo();
  const [typed, setTyped] = useState('');
  const [picked, setPicked] = useState(0);
  const goals = useMemo((): Goal[] => {
    const to = (path: string) => () => navigate(path);
    const write = (id: string) => () =>
      void call<{ channel: { id: string } }>('conversations.open', { users: id }).then(
        async ({ channel }) => {
          await loadConversations();
          navigate(`/w/${team.id}/c/${channel.id}`);
        },
        (error: unknown) => say(wordsFor(error), { tone: 'bad' }),
      );
    const paths: Record<string, string> = { traffic: 'inspect', tracker: 't' };
    const sections = ['tracker', 'traffic', 'deliveries', 'changes', 'faults', 'apps', 'settings'].map((name) => ({
      key: name,
      words: name[0]?.toUpperCase() + name.slice(1),
      note: 'Section',
      go: to(`/w/${team.id}/${paths[name] ?? name}`),
    }));
    return [
      ...(rooms ?? [])
        .filter((room) => room.is_channel)
        .map((room) => ({
          key: room.id,
          words: `#${room.name}`,
          note: room.topic?.value ?? '',
          go: to(`/w/${team.id}/c/${room.id}`),
        })),
      ...[...users.values()]
        .filter((user) => !user.deleted)
        .map((user) => ({
          key: user.id,
          words: fullName(user),
          note: `@${user.name}${displayName(user) === fullName(user) ? '' : ` ${displayName(user)}`}`,
          go: write(user.id),
        })),
      ...sections,
      ...(isAdmin ? [{ key: 'sandboxes', words: 'Sandboxes', note: 'Section', go: to('/sandboxes') }] : []),
      ...(['light', 'dark', 'system'] as const).map((name) => ({
        key: `theme:${name}`,
        words: `Theme: ${name}`,
        note: 'Action',
        go: () => setTheme(name),
      })),
      { key: 'keys', words: 'Keyboard shortcuts', note: 'Action', go: () => overlay.set('keys') },
      { key: 'stop', words: 'Stop acting as somebody else', note: 'Action', go: stopActing },
    ];
  }, [rooms, users, team.id, isAdmin, navigate]);
  const wanted = typed.toLowerCase().replace(/^[#@]/, '');
  const shown = goals
    .filter(({ words, note }) => `${words} ${note}`.toLowerCase().includes(wanted))
    .slice(0, MAX_SHOWN);
  const choose = (goal: Goal | undefined): void => {
    onClose();
    goal?.go();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown') setPicked((picked + 1) % Math.max(1, shown.length));
    else if (event.key === 'ArrowUp') setPicked((picked + shown.length - 1) % Math.max(1, shown.length));
    else if (event.key === 'Enter') choose(shown[picked]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Go to" isOpen onClose={onClose}>
      <div onKeyDown={onKeyDown} role="presentation">
        <Field
          label="Channel, person or section"
          hideLabel
          autoFocus
          placeholder="Channel, person or section"
          value={typed}
          onChange={(text) => {
            setTyped(text);
            setPicked(0);
          }}
        />
        <ul className={styles.goals} aria-label="Places">
          {shown.map((goal, index) => (
            <li key={goal.key}>
              <button type="button" className={styles.goal} data-picked={index === picked} onClick={() => choose(goal)}>
                <span className={styles.words}>{goal.words}</span>
                <span className={styles.note}>{goal.note}</span>
              </button>
            </li>
          ))}
          {shown.length === 0 && <li className={styles.none}>No results for “{typed}”.</li>}
        </ul>
      </div>
    </Dialog>
  );
}

const KEYS: readonly (readonly [string, string])[] = [
  ['Ctrl/⌘ K', 'Go to a channel, person or section'],
  ['Ctrl/⌘ F', 'Search'],
  ['Alt ↑ / ↓', 'Previous or next conversation (with Shift: unread)'],
  ['Ctrl/⌘ .', 'Inspector'],
  ['Ctrl/⌘ /', 'This list'],
  ['Enter, Shift Enter', 'Send, new line'],
  ['↑ in an empty composer', 'Edit your latest message'],
  ['↑ / ↓ in the messages', 'Previous or next message; Enter for its actions; R reacts, T replies, E edits'],
  ['j / k in the Inspector', 'Next or previous row; Enter opens it, f filters, c copies as curl, Space pauses'],
  ['C, F, B in the Tracker', 'New issue, filter, board or list'],
  ['J / K, Enter in the Tracker', 'Next or previous issue, open it; Escape goes back'],
  ['S, A, D, P on an issue', 'Status, assignee, delegate, priority; M comments'],
  ['Escape', 'Close'],
];

const KeyList = ({ onClose }: { onClose: () => void }): ReactNode => (
  <Dialog title="Keyboard shortcuts" isOpen onClose={onClose}>
    <dl className={styles.keys}>
      {KEYS.map(([key, words]) => (
        <div key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{words}</dd>
        </div>
      ))}
    </dl>
  </Dialog>
);
