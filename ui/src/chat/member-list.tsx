import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useQueryClient } from '@tanstack/react-query';
import { UserMinus, UserPlus } from 'lucide-react';
import { call } from '../api/client.js';
import { visit } from '../api/conversations.js';
import { displayName, lookUp } from '../api/directory.js';
import { wordsFor } from '../api/errors.js';
import type { Conversation } from '../api/wire.js';
import { Avatar } from '../kit/avatar.js';
import { Button, IconButton } from '../kit/button.js';
import { Dialog } from '../kit/dialog.js';
import { Badge, Empty, Skeleton } from '../kit/misc.js';
import { say } from '../kit/toasts.js';
import { useChat } from './chat-context.js';
import { useMembers } from './members.js';
import { PeopleList } from './people-list.js';
import styles from './details.module.css';

/** The members of a conversation; people and bots are added and removed here. */
export function MemberList({ room }: { room: Conversation }): ReactNode {
  const chat = useChat();
  const client = useQueryClient();
  const { data, ids, error } = useMembers(room.id);
  const [adding, setAdding] = useState(false);
  const [chosen, setChosen] = useState<string[]>([]);
  const scroller = useRef<HTMLDivElement>(null);
  const members = data ?? [];
  const virtual = useVirtualizer({
    count: members.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 44,
    overscan: 6,
  });
  const attempt = (work: Promise<unknown>): void =>
    void work.then(
      async () => {
        setAdding(false);
        setChosen([]);
        await Promise.all([client.invalidateQueries({ queryKey: ['members', room.id] }), visit(room.id)]);
      },
      (failure: unknown) => say(wordsFor(failure), { tone: 'bad' }),
    );
  useEffect(() => members.slice(0, 40).forEach(lookUp), [members]);
  if (error) return <Empty title={wordsFor(error)} />;
  if (!data) return <Skeleton />;
  return (
    <div className={styles.members}>
      {room.is_channel && !room.is_archived && (
        <div className={styles.add}>
          <Button icon={<UserPlus size={15} />} onPress={() => setAdding(true)}>
            Add people or apps
          </Button>
        </div>
      )}
      <div ref={scroller} className={styles.scroll} tabIndex={0} role="region" aria-label="Members">
        <div
          className={styles.sheet}
          ref={(element) => element?.style.setProperty('height', `${virtual.getTotalSize()}px`)}
        >
          {virtual.getVirtualItems().map((row) => {
            const id = members[row.index] as string;
            const user = chat.users.get(id);
            const name = displayName(user) ?? id;
            return (
              <div
                key={id}
                className={styles.member}
                ref={(element) => element?.style.setProperty('top', `${row.start}px`)}
              >
                <Avatar name={name} seed={id} size={28} isBot={user?.is_bot} />
                <button type="button" className={styles.memberName} onClick={() => chat.openProfile(id)}>
                  <bdi>{name}</bdi>
                  {user?.is_bot && <Badge>APP</Badge>}
                </button>
                {room.is_channel && !room.is_general && id !== chat.meId && (
                  <IconButton
                    label={`Remove ${name}`}
                    size="small"
                    onPress={() => attempt(call('conversations.kick', { channel: room.id, user: id }))}
                  >
                    <UserMinus size={15} />
                  </IconButton>
                )}
              </div>
            );
          })}
        </div>
      </div>
      <Dialog
        title={`Add to #${room.name}`}
        isOpen={adding}
        onClose={() => setAdding(false)}
        actions={
          <>
            <Button onPress={() => setAdding(false)}>Cancel</Button>
            <Button
              kind="primary"
              isDisabled={chosen.length === 0}
              onPress={() => attempt(call('conversations.invite', { channel: room.id, users: chosen.join(',') }))}
            >
              Add {chosen.length > 0 ? chosen.length : ''}
            </Button>
          </>
        }
      >
        <PeopleList
          label="People and apps"
          many
          chosen={chosen}
          onChange={setChosen}
          isDisabled={(user) => (ids.has(user.id) ? 'Already in this channel' : null)}
        />
      </Dialog>
    </div>
  );
}
