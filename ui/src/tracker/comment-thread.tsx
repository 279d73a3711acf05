import { useState, type ReactNode } from 'react';
import { Check, MoreHorizontal } from 'lucide-react';
import { MarkdownBlock } from '../blocks/markdown.js';
import { Avatar } from '../kit/avatar.js';
import { Button, IconButton } from '../kit/button.js';
import { Confirm } from '../kit/dialog.js';
import { Menu, MenuItem } from '../kit/menu.js';
import { copyText } from '../kit/misc.js';
import { ago, fullTime } from '../text/time.js';
import { AgentBadge } from './bits.js';
import { CommentBox } from './comment-box.js';
import type { Facts } from './facts.js';
import type { Comment } from './issue-data.js';
import { useLookAgain } from './live.js';
import { Reactions } from './reactions.js';
import { act } from './tracker-api.js';
import { complain } from './words.js';
import styles from './activity.module.css';

/** What can be commented on: an issue by its identifier, the others by their ids. */
export type CommentTarget = { issue: string } | { document: string } | { update: string };

/** The oldest first. */
export const inTime = (a: { createdAt: string }, b: { createdAt: string }): number =>
  a.createdAt.localeCompare(b.createdAt);

export const When = ({ at }: { at: string }): ReactNode => (
  <time className={styles.when} dateTime={at} title={fullTime(new Date(at))}>
    {ago(new Date(at))}
  </time>
);

interface ThreadProps {
  readonly facts: Facts;
  /** What is commented on. */
  readonly target: CommentTarget;
  readonly first: Comment;
  readonly replies: readonly Comment[];
}

/** A comment with its replies. */
export function Thread({ first, replies, facts, target }: ThreadProps): ReactNode {
  const lookAgain = useLookAgain();
  const [isReplying, setReplying] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const isResolved = first.resolvedAt !== null;
  const resolve = (): void =>
    void act(isResolved ? 'unresolve' : 'resolve', { comment: first.id }).then(lookAgain, complain);
  if (isResolved && !isOpen)
    return (
      <div className={styles.resolved}>
        <Check size={14} />
        <span>
          {facts.people.get(first.resolvingUser?.id ?? '')?.name ?? 'Somebody'} resolved this thread,{' '}
          {replies.length + 1} {replies.length === 0 ? 'comment' : 'comments'}
        </span>
        <Button size="small" kind="quiet" onPress={() => setOpen(true)}>
          Show
        </Button>
      </div>
    );
  return (
    <div className={styles.thread}>
      <CommentView comment={first} facts={facts} />
      {replies.map((reply) => (
        <CommentView key={reply.id} comment={reply} facts={facts} />
      ))}
      <div className={styles.threadFoot}>
        {isReplying ? (
          <CommentBox
            label={`Reply to ${authorOf(first, facts).name}`}
            facts={facts}
            autoFocus
            onClose={() => setReplying(false)}
            onSend={(body) => act('comment', { ...target, parent: first.id, body }).then(lookAgain)}
          />
        ) : (
          <>
            <Button size="small" kind="quiet" onPress={() => setReplying(true)}>
              Reply
            </Button>
            <Button size="small" kind="quiet" onPress={resolve}>
              {isResolved ? 'Reopen thread' : 'Resolve thread'}
            </Button>
          </>
        )}
      </div>
    </div>
  );
}

function authorOf({ user, botActor }: Comment, facts: Facts): { name: string; isApp: boolean; isMe: boolean } {
  const person = facts.people.get(user?.id ?? '');
  const name = botActor?.userDisplayName ?? person?.name ?? botActor?.name ?? 'Somebody';
  return { name, isApp: person?.app ?? botActor !== null, isMe: person?.isMe ?? false };
}

function CommentView({ comment, facts }: { comment: Comment; facts: Facts }): ReactNode {
  const lookAgain = useLookAgain();
  const [isEditing, setEditing] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const author = authorOf(comment, facts);
  const mayDelete = author.isMe || [...facts.people.values()].some(({ isMe, admin }) => isMe && admin);
  const remove = (): void => {
    setAsked(false);
    void act('comment_delete', { comment: comment.id }).then(lookAgain, complain);
  };
  return (
    <article
      className={styles.comment}
      aria-label={`${author.name}: ${comment.body.slice(0, 60)}`}
      id={`comment-${comment.id.slice(0, 8)}`}
    >
      <header className={styles.commentHead}>
        <Avatar name={author.name} seed={comment.user?.id ?? author.name} size={20} isBot={author.isApp} />
        <strong className={styles.author}>{author.name}</strong>
        {author.isApp && <AgentBadge />}
        <When at={comment.createdAt} />
        {comment.editedAt !== null && <span className={styles.when}>(edited)</span>}
        <span className={styles.gap} />
        <Menu
          label="Actions of the comment"
          trigger={
            <IconButton label={`Actions of the comment of ${author.name}`} size="small">
              <MoreHorizontal size={14} />
            </IconButton>
          }
        >
          <MenuItem onAction={() => void copyText(comment.body)}>Copy text</MenuItem>
          <MenuItem
            isDisabled={!author.isMe}
            {...(!author.isMe && { note: 'only the author can' })}
            onAction={() => setEditing(true)}
          >
            Edit
          </MenuItem>
          <MenuItem
            danger
            isDisabled={!mayDelete}
            {...(!mayDelete && { note: 'only the author and admins can' })}
            onAction={() => setAsked(true)}
          >
            Delete…
          </MenuItem>
        </Menu>
      </header>
      {isEditing ? (
        <CommentBox
          label="Edit the comment"
          facts={facts}
          first={comment.body}
          verb="Save"
          autoFocus
          onClose={() => setEditing(false)}
          onSend={(body) => act('comment_edit', { comment: comment.id, body }).then(lookAgain)}
        />
      ) : (
        <div className={styles.body}>
          <MarkdownBlock block={{ text: comment.body }} />
        </div>
      )}
      <Reactions target={{ comment: comment.id }} data={comment.reactionData} facts={facts} />
      <Confirm
        title="Delete this comment?"
        verb="Delete"
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        onConfirm={remove}
      >
        Its replies go with it.
      </Confirm>
    </article>
  );
}
