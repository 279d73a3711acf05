import type { ReactNode } from 'react';
import { SmilePlus } from 'lucide-react';
import { Button as AriaButton, DialogTrigger, TooltipTrigger } from 'react-aria-components';
import { call } from '../api/client.js';
import { displayName } from '../api/directory.js';
import { wordsFor } from '../api/errors.js';
import type { Message } from '../api/wire.js';
import { Hint } from '../kit/button.js';
import { say } from '../kit/toasts.js';
import { EmojiPicker } from '../text/emoji-picker.js';
import { EmojiMark } from '../text/mrkdwn-view.js';
import { useChat } from './chat-context.js';
import { channelWindow, threadWindow } from './windows.js';
import styles from './reactions.module.css';

/** Adds or removes a reaction: shown at once, undone when the server refuses. */
export async function toggleReaction(channel: string, message: Message, name: string, meId: string): Promise<void> {
  const mine = message.reactions?.find((reaction) => reaction.name === name)?.users.includes(meId) ?? false;
  const windows = [
    channelWindow(channel),
    ...(message.thread_ts === undefined ? [] : [threadWindow(channel, message.thread_ts)]),
  ];
  for (const window of windows) window.reacted(message.ts, name, meId, !mine);
  try {
    await call(mine ? 'reactions.remove' : 'reactions.add', { channel, timestamp: message.ts, name });
  } catch (error) {
    for (const window of windows) window.reacted(message.ts, name, meId, mine);
    say(wordsFor(error), { tone: 'bad' });
  }
}

export function Reactions({ message, channel }: { message: Message; channel: string }): ReactNode {
  const chat = useChat();
  const reactions = message.reactions ?? [];
  if (reactions.length === 0) return null;
  const namesOf = (users: readonly string[]): string => {
    const names = users.slice(0, 30).map((id) => (id === chat.meId ? 'You' : (displayName(chat.users.get(id)) ?? id)));
    return users.length > 30 ? `${names.join(', ')} and ${users.length - 30} more` : names.join(', ');
  };
  return (
    <div className={styles.list} role="group" aria-label="Reactions">
      {reactions.map((reaction) => {
        const mine = reaction.users.includes(chat.meId);
        return (
          <TooltipTrigger key={reaction.name} delay={350}>
            <AriaButton
              className={`${styles.reaction} ${mine ? styles.mine : ''}`}
              aria-pressed={mine}
              aria-label={`${reaction.name}, ${reaction.count}`}
              onPress={() => void toggleReaction(channel, message, reaction.name, chat.meId)}
            >
              <EmojiMark name={reaction.name} />
              <span className={styles.count}>{reaction.count}</span>
            </AriaButton>
            <Hint>
              {namesOf(reaction.users)} · :{reaction.name}:
            </Hint>
          </TooltipTrigger>
        );
      })}
      <DialogTrigger>
        <AriaButton className={`${styles.reaction} ${styles.add}`} aria-label="Add a reaction">
          <SmilePlus size={14} />
        </AriaButton>
        <EmojiPicker onPick={(name) => void toggleReaction(channel, message, name, chat.meId)} />
      </DialogTrigger>
    </div>
  );
}
