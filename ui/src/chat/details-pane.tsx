import { useState, type ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { call } from '../api/client.js';
import { loadConversations, visit } from '../api/conversations.js';
import { wordsFor } from '../api/errors.js';
import type { Conversation, Message } from '../api/wire.js';
import { Button } from '../kit/button.js';
import { Confirm } from '../kit/dialog.js';
import { Field } from '../kit/field.js';
import { Empty, Skeleton, Id } from '../kit/misc.js';
import { Pane } from '../kit/pane.js';
import { Tabs } from '../kit/tabs.js';
import { say } from '../kit/toasts.js';
import { dateOfTs, fullTime } from '../text/time.js';
import { useChat } from './chat-context.js';
import { HearingApps } from './details-apps.js';
import { MemberList } from './member-list.js';
import { MessageRow } from './message-row.js';
import styles from './details.module.css';

interface DetailsProps {
  readonly room: Conversation;
  readonly name: string;
  readonly onClose: () => void;
}

/** Details of a conversation: its members, settings and actions. */
export function DetailsPane({ room, name, onClose }: DetailsProps): ReactNode {
  const chat = useChat();
  const tabs = [
    { id: 'about', title: 'About', content: <About room={room} /> },
    { id: 'members', title: 'Members', content: <MemberList room={room} /> },
    { id: 'apps', title: 'Apps', content: <HearingApps room={room} /> },
    ...(chat.hasAllMethods ? [{ id: 'pins', title: 'Pins', content: <Pins room={room} /> }] : []),
    ...(room.is_channel
      ? [{ id: 'settings', title: 'Settings', content: <Settings room={room} onClose={onClose} /> }]
      : []),
  ];
  return (
    <Pane name="Details" title={name} onClose={onClose}>
      <Tabs label="Details" tabs={tabs} />
    </Pane>
  );
}

const attempt = (work: Promise<unknown>, id: string, done?: string): Promise<void> =>
  work.then(
    async () => {
      if (done !== undefined) say(done);
      await loadConversations();
      await visit(id).catch(() => undefined);
    },
    (error: unknown) => void say(wordsFor(error), { tone: 'bad' }),
  );

function About({ room }: { room: Conversation }): ReactNode {
  const chat = useChat();
  const creator = chat.users.get(room.creator ?? '');
  return (
    <div className={styles.body}>
      {!room.is_im && (
        <Editable
          label="Topic"
          value={room.topic?.value ?? ''}
          isDisabled={room.is_archived === true}
          onSave={(topic) => attempt(call('conversations.setTopic', { channel: room.id, topic }), room.id)}
        />
      )}
      {!room.is_im && (
        <Editable
          label="Purpose"
          value={room.purpose?.value ?? ''}
          isDisabled={room.is_archived === true}
          onSave={(purpose) => attempt(call('conversations.setPurpose', { channel: room.id, purpose }), room.id)}
        />
      )}
      <dl className={styles.facts}>
        {room.created !== undefined && (
          <div>
            <dt>Created</dt>
            <dd>
              {fullTime(dateOfTs(`${room.created}.0`))}
              {creator && ` by ${creator.name}`}
            </dd>
          </div>
        )}
        <div>
          <dt>ID</dt>
          <dd>
            <Id id={room.id} />
          </dd>
        </div>
      </dl>
    </div>
  );
}

function Editable({
  label,
  value,
  isDisabled,
  onSave,
}: {
  label: string;
  value: string;
  isDisabled: boolean;
  onSave: (text: string) => Promise<void>;
}): ReactNode {
  const [text, setText] = useState<string | null>(null);
  const save = (): void => void onSave(text ?? '').then(() => setText(null));
  return (
    <form
      className={styles.editable}
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <Field
        label={label}
        value={text ?? value}
        onChange={setText}
        isDisabled={isDisabled}
        placeholder={`Add a ${label.toLowerCase()}`}
      />
      {text !== null && text !== value && (
        <div className={styles.buttons}>
          <Button size="small" onPress={() => setText(null)}>
            Cancel
          </Button>
          <Button size="small" kind="primary" type="submit">
            Save
          </Button>
        </div>
      )}
    </form>
  );
}

function Pins({ room }: { room: Conversation }): ReactNode {
  const pins = useQuery({
    queryKey: ['pins', room.id],
    queryFn: () => call<{ items: { message?: Message }[] }>('pins.list', { channel: room.id }),
    retry: false,
  });
  const remove = (ts: string): void =>
    void call('pins.remove', { channel: room.id, timestamp: ts }).then(
      () => pins.refetch(),
      (error: unknown) => say(wordsFor(error), { tone: 'bad' }),
    );
  if (pins.isPending) return <Skeleton />;
  if (pins.error) return <Empty title={wordsFor(pins.error)} />;
  const messages = pins.data.items.flatMap(({ message }) => message ?? []);
  if (messages.length === 0)
    return <Empty title="No pinned messages">Pin a message from its menu to find it here again.</Empty>;
  return (
    <div className={styles.pins}>
      {messages.map((message) => (
        <div key={message.ts} className={styles.pin}>
          <MessageRow message={message} channel={room.id} isFollowUp={false} isMarked={false} inThread />
          <Button size="small" kind="quiet" onPress={() => remove(message.ts)}>
            Unpin
          </Button>
        </div>
      ))}
    </div>
  );
}

function Settings({ room, onClose }: { room: Conversation; onClose: () => void }): ReactNode {
  const chat = useChat();
  const [asked, setAsked] = useState<'archive' | 'leave' | null>(null);
  const mayChange = chat.isAdmin || room.creator === chat.meId;
  const reason = mayChange ? undefined : 'Only admins and the creator of the channel may do this.';
  const go = (): void => {
    const method = asked === 'archive' ? 'conversations.archive' : 'conversations.leave';
    setAsked(null);
    void attempt(call(method, { channel: room.id }), room.id, asked === 'archive' ? 'Archived.' : 'You left.').then(
      onClose,
    );
  };
  return (
    <div className={styles.body}>
      <Editable
        label="Name"
        value={room.name ?? ''}
        isDisabled={!mayChange || room.is_archived === true}
        onSave={(name) => attempt(call('conversations.rename', { channel: room.id, name }), room.id)}
      />
      {room.is_archived
        ? chat.hasAllMethods && (
            <Button
              onPress={() =>
                void attempt(call('conversations.unarchive', { channel: room.id }), room.id, 'Back from the archive.')
              }
            >
              Unarchive
            </Button>
          )
        : !room.is_general && (
            <Button kind="danger" isDisabled={!mayChange} onPress={() => setAsked('archive')}>
              Archive channel…
            </Button>
          )}
      {!room.is_general && !room.is_archived && room.is_member !== false && (
        <Button onPress={() => setAsked('leave')}>Leave channel…</Button>
      )}
      {reason !== undefined && <p className={styles.reason}>{reason}</p>}
      <Confirm
        title={asked === 'archive' ? `Archive #${room.name}?` : `Leave #${room.name}?`}
        verb={asked === 'archive' ? 'Archive' : 'Leave'}
        isOpen={asked !== null}
        onClose={() => setAsked(null)}
        onConfirm={go}
      >
        <p>
          {asked === 'archive'
            ? 'Its messages stay readable; nobody can write there any more.'
            : 'You will not hear of new messages there.'}
        </p>
      </Confirm>
    </div>
  );
}
