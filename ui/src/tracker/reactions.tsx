import type { ReactNode } from 'react';
import { SmilePlus } from 'lucide-react';
import { Button as AriaButton, DialogTrigger, TooltipTrigger } from 'react-aria-components';
import { Hint } from '../kit/button.js';
import { EmojiPicker } from '../text/emoji-picker.js';
import { EmojiMark } from '../text/mrkdwn-view.js';
import type { Facts } from './facts.js';
import type { ReactionData } from './issue-data.js';
import { useLookAgain } from './live.js';
import { act, ask } from './tracker-api.js';
import { complain } from './words.js';
import styles from './reactions.module.css';

interface ReactionsProps {
  readonly target: { issue: string } | { comment: string };
  readonly data: readonly ReactionData[];
  readonly facts: Facts;
}

/** What people say to an issue or a comment by emoji. */
export function Reactions({ target, data, facts }: ReactionsProps): ReactNode {
  const lookAgain = useLookAgain();
  const own = ({ reactions }: ReactionData) => reactions.find(({ userId }) => facts.people.get(userId)?.isMe);
  const toggle = (emoji: string): void => {
    const mine = data.filter((one) => one.emoji === emoji).flatMap((one) => own(one) ?? []);
    const [there] = mine;
    const done: Promise<unknown> = there
      ? ask('mutation ($id: String!) { reactionDelete(id: $id) { success } }', { id: there.id })
      : act('issue_react', { ...target, emoji });
    void done.then(lookAgain, complain);
  };
  return (
    <div className={styles.list} role="group" aria-label="Reactions">
      {data.map((one) => (
        <TooltipTrigger key={one.emoji} delay={350}>
          <AriaButton
            className={`${styles.reaction} ${own(one) ? styles.mine : ''}`}
            aria-pressed={own(one) !== undefined}
            aria-label={`${one.emoji}, ${one.reactions.length}`}
            onPress={() => toggle(one.emoji)}
          >
            <EmojiMark name={one.emoji} />
            <span>{one.reactions.length}</span>
          </AriaButton>
          <Hint>{one.reactions.map(({ userId }) => facts.people.get(userId)?.name ?? 'Somebody').join(', ')}</Hint>
        </TooltipTrigger>
      ))}
      <DialogTrigger>
        <AriaButton className={`${styles.reaction} ${styles.add}`} aria-label="Add a reaction">
          <SmilePlus size={14} />
        </AriaButton>
        <EmojiPicker onPick={(name) => toggle(name.split('::')[0] as string)} />
      </DialogTrigger>
    </div>
  );
}
