import { memo, useState, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import type { Message } from '../api/wire.js';
import { displayName } from '../api/directory.js';
import { Blocks } from '../blocks/blocks.js';
import { Attachments } from '../blocks/attachments.js';
import { Avatar } from '../kit/avatar.js';
import { Hint } from '../kit/button.js';
import { Link } from '../kit/link.js';
import { Badge } from '../kit/misc.js';
import { EmojiMark, Mrkdwn } from '../text/mrkdwn-view.js';
import { ago, clockTime, dateOfTs, fullTime } from '../text/time.js';
import { Button as AriaButton, TooltipTrigger } from 'react-aria-components';
import { EditBox } from './edit-box.js';
import { Files } from './files.js';
import { MessageToolbar } from './message-toolbar.js';
import { Reactions } from './reactions.js';
import { WorkObjects } from './work-objects.js';
import { SessionLine, StreamEnd } from './agent-notes.js';
import { authorOf, useChat } from './chat-context.js';
import styles from './message.module.css';

export interface RowProps {
  readonly message: Message;
  readonly channel: string;
  /** The same author wrote the previous message shortly before, so the name is not repeated. */
  readonly isFollowUp: boolean;
  readonly isMarked: boolean;
  readonly inThread: boolean;
}

const SYSTEM = /^(channel|group)_(join|leave|topic|purpose|name|archive|unarchive)$|^pinned_item$/;

export const isSystem = (message: Message): boolean => SYSTEM.test(message.subtype ?? '');

/** A message with all its parts. */
export const MessageRow = memo(function MessageRow(props: RowProps): ReactNode {
  const { message, isMarked } = props;
  if (isSystem(message)) return <SystemRow message={message} isMarked={isMarked} />;
  return <FullRow {...props} />;
});

function SystemRow({ message, isMarked }: { message: Message; isMarked: boolean }): ReactNode {
  const date = dateOfTs(message.ts);
  return (
    <div className={`${styles.system} ${isMarked ? styles.marked : ''}`}>
      <time className={styles.systemTime} dateTime={date.toISOString()}>
        {clockTime(date)}
      </time>
      <Mrkdwn text={message.text} inline />
    </div>
  );
}

function FullRow({ message, channel, isFollowUp, isMarked, inThread }: RowProps): ReactNode {
  const chat = useChat();
  const [menuOpen, setMenuOpen] = useState(false);
  const [isAwake, setAwake] = useState(false);
  const wake = (): void => setAwake(true);
  const editing = chat.editing === message.ts;
  const author = authorOf(message, chat.users);
  const gone = message.subtype === 'tombstone';
  const classes = [
    styles.row,
    isFollowUp ? styles.followUp : '',
    isMarked ? styles.marked : '',
    message.is_ephemeral ? styles.ephemeral : '',
  ];
  return (
    <article
      className={classes.join(' ')}
      aria-busy={message.streaming_state === 'in_progress'}
      aria-label={`${author.name}, ${clockTime(dateOfTs(message.ts))}`}
      data-menu={menuOpen}
      // before a possible click: the click must land on the button that is already there
      onPointerEnter={() => !isAwake && flushSync(wake)}
    >
      <div className={styles.side}>
        {isFollowUp ? <Time ts={message.ts} isAwake={isAwake} compact /> : <AuthorPicture author={author} />}
      </div>
      <div className={styles.main}>
        {!isFollowUp && (
          <header className={styles.head}>
            <AuthorName author={author} />
            {author.isBot && <AppBadge ts={message.ts} />}
            <Time ts={message.ts} isAwake={isAwake} />
          </header>
        )}
        {message.subtype === 'thread_broadcast' && !inThread && message.thread_ts !== undefined && (
          <p className={styles.context}>
            replied to <Link href={chat.threadPath(channel, message.thread_ts)}>a thread</Link>
          </p>
        )}
        {editing ? (
          <EditBox message={message} channel={channel} />
        ) : (
          <div className={gone ? styles.gone : styles.body} data-streaming={message.streaming_state === 'in_progress'}>
            <Body message={message} channel={channel} />
          </div>
        )}
        {message.is_ephemeral && (
          <p className={styles.only}>
            Only visible to you ·{' '}
            <button type="button" className={styles.textButton} onClick={() => chat.dismiss(channel, message)}>
              Dismiss
            </button>
          </p>
        )}
        {message.streaming_state === 'completed' && <StreamEnd channel={channel} ts={message.ts} />}
        {message.agent_session && !inThread && <SessionLine message={message} channel={channel} />}
        <Reactions message={message} channel={channel} />
        {!inThread && (message.reply_count ?? 0) > 0 && <Replies message={message} channel={channel} />}
      </div>
      {!editing && !gone && (
        <MessageToolbar
          message={message}
          channel={channel}
          inThread={inThread}
          onOpenChange={setMenuOpen}
          isAwake={isAwake}
          onWake={wake}
        />
      )}
    </article>
  );
}

/** Text, blocks, attachments and files. With blocks, the text is only a fallback. */
export function Body({ message, channel }: { message: Message; channel: string }): ReactNode {
  const hasBlocks = (message.blocks?.length ?? 0) > 0;
  const chat = message.assistant_app_thread;
  if (chat) return <strong>{chat.title}</strong>;
  return (
    <>
      {hasBlocks ? (
        <Blocks
          blocks={message.blocks ?? []}
          place={{ kind: 'message', channel, ts: message.ts, appId: message.app_id, ephemeral: message.is_ephemeral }}
        />
      ) : (
        message.text !== '' && <Mrkdwn text={message.text} />
      )}
      {message.edited && <span className={styles.edited}> (edited)</span>}
      {message.attachments && (
        <Attachments
          attachments={message.attachments}
          place={{ kind: 'message', channel, ts: message.ts, appId: message.app_id, ephemeral: message.is_ephemeral }}
        />
      )}
      {message.metadata?.entities && (
        <WorkObjects entities={message.metadata.entities} channel={channel} ts={message.ts} />
      )}
      {message.files && <Files files={message.files} />}
    </>
  );
}

interface Author {
  readonly name: string;
  readonly id: string | undefined;
  readonly isBot: boolean;
  readonly emoji: string | undefined;
}

const AuthorPicture = ({ author }: { author: Author }): ReactNode => (
  <Avatar
    name={author.name}
    seed={author.id ?? author.name}
    isBot={author.isBot}
    content={author.emoji === undefined ? undefined : <EmojiMark name={author.emoji} />}
  />
);

/** Leads to the calls behind the message, for those who may see them. */
function AppBadge({ ts }: { ts: string }): ReactNode {
  const chat = useChat();
  if (!chat.mayInspect) return <Badge>APP</Badge>;
  return (
    <Link href={chat.inspectPath(`text=${ts}`)} className={styles.badgeLink} title="Show the calls behind this message">
      <Badge>APP</Badge>
    </Link>
  );
}

function AuthorName({ author }: { author: Author }): ReactNode {
  const chat = useChat();
  const { id } = author;
  if (id === undefined) return <span className={styles.name}>{author.name}</span>;
  return (
    <button type="button" className={styles.name} onClick={() => chat.openProfile(id)}>
      <bdi>{author.name}</bdi>
    </button>
  );
}

function Time({ ts, isAwake, compact }: { ts: string; isAwake: boolean; compact?: boolean }): ReactNode {
  if (ts.startsWith('local-')) return <span className={styles.time}>sending…</span>;
  const date = dateOfTs(ts);
  const className = (compact ? styles.timeCompact : styles.time) ?? '';
  if (!isAwake) {
    return (
      <button type="button" className={className} tabIndex={-1} aria-label={`${clockTime(date)}, ${fullTime(date)}`}>
        {clockTime(date)}
      </button>
    );
  }
  return (
    <TooltipTrigger delay={500}>
      <AriaButton className={className} excludeFromTabOrder aria-label={`${clockTime(date)}, ${fullTime(date)}`}>
        {clockTime(date)}
      </AriaButton>
      <Hint>
        {fullTime(date)}
        <br />
        ts {ts}
      </Hint>
    </TooltipTrigger>
  );
}

function Replies({ message, channel }: { message: Message; channel: string }): ReactNode {
  const chat = useChat();
  const count = message.reply_count ?? 0;
  return (
    <Link href={chat.threadPath(channel, message.ts)} className={styles.replies}>
      <span className={styles.faces} aria-hidden>
        {(message.reply_users ?? []).slice(0, 4).map((id) => {
          const name = displayName(chat.users.get(id)) ?? id;
          return <Avatar key={id} name={name} seed={id} size={20} />;
        })}
      </span>
      <span className={styles.replyCount}>{count === 1 ? '1 reply' : `${count} replies`}</span>
      {message.latest_reply !== undefined && (
        <span className={styles.replyTime}>{ago(dateOfTs(message.latest_reply))}</span>
      )}
    </Link>
  );
}
