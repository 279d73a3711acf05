import { useState, type ReactNode } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Hash, Lock } from 'lucide-react';
import { call } from '../api/client.js';
import { loadConversations } from '../api/conversations.js';
import { wordsFor } from '../api/errors.js';
import { me } from '../api/persona.js';
import type { Conversation } from '../api/wire.js';
import { Button } from '../kit/button.js';
import { Dialog } from '../kit/dialog.js';
import { Field, Switch } from '../kit/field.js';
import { Empty, Skeleton } from '../kit/misc.js';
import { say } from '../kit/toasts.js';
import styles from './browse.module.css';

async function allChannels(archived: boolean): Promise<Conversation[]> {
  const all: Conversation[] = [];
  for (let cursor = ''; ;) {
    const page = await call<{ channels: Conversation[]; response_metadata?: { next_cursor?: string } }>(
      'conversations.list',
      {
        types: 'public_channel,private_channel',
        exclude_archived: !archived,
        limit: 999,
        ...(cursor === '' ? {} : { cursor }),
      },
    );
    all.push(...page.channels);
    cursor = page.response_metadata?.next_cursor ?? '';
    if (cursor === '' || all.length > 5_000) return all.sort((a, b) => (a.name ?? '').localeCompare(b.name ?? ''));
  }
}

export function BrowseChannels({
  onClose,
  onChosen,
}: {
  onClose: () => void;
  onChosen: (id: string) => void;
}): ReactNode {
  const [typed, setTyped] = useState('');
  const [archived, setArchived] = useState(false);
  const client = useQueryClient();
  const channels = useQuery({ queryKey: ['channels', me().id, archived], queryFn: () => allChannels(archived) });
  const shown = (channels.data ?? []).filter(({ name = '', topic }) =>
    `${name} ${topic?.value ?? ''}`.toLowerCase().includes(typed.toLowerCase()),
  );
  const join = (id: string): void =>
    void call('conversations.join', { channel: id }).then(
      async () => {
        await loadConversations();
        await client.invalidateQueries({ queryKey: ['channels'] });
        onChosen(id);
      },
      (error: unknown) => say(wordsFor(error), { tone: 'bad' }),
    );
  return (
    <Dialog title="Channels" size="normal" note={channels.data && `${channels.data.length}`} isOpen onClose={onClose}>
      <div className={styles.head}>
        <Field
          label="Find a channel"
          hideLabel
          placeholder="Name or topic"
          autoFocus
          value={typed}
          onChange={setTyped}
        />
        <Switch isSelected={archived} onChange={setArchived}>
          Include archived
        </Switch>
      </div>
      {channels.isPending && <Skeleton />}
      {channels.error && <p>{wordsFor(channels.error)}</p>}
      {channels.data && shown.length === 0 && <Empty title="No channel fits." />}
      <ul className={styles.list}>
        {shown.slice(0, 300).map((channel) => (
          <li key={channel.id} className={styles.row}>
            <button type="button" className={styles.open} onClick={() => onChosen(channel.id)}>
              <span className={styles.name}>
                {channel.is_private ? <Lock size={14} aria-hidden /> : <Hash size={14} aria-hidden />}
                {channel.name}
                {channel.is_archived && ' (archived)'}
              </span>
              <span className={styles.note}>
                {channel.num_members ?? 0} {channel.num_members === 1 ? 'person' : 'people'}
                {channel.topic?.value ? ` · ${channel.topic.value}` : ''}
              </span>
            </button>
            {channel.is_member ? (
              <span className={styles.joined}>Joined</span>
            ) : (
              !channel.is_archived && (
                <Button size="small" onPress={() => join(channel.id)}>
                  Join
                </Button>
              )
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
