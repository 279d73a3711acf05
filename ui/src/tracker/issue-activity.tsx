import type { ReactNode } from 'react';
import { CommentBox } from './comment-box.js';
import { inTime, Thread, When } from './comment-thread.js';
import type { Facts } from './facts.js';
import { changeWords } from './history-words.js';
import type { Change, WholeIssue } from './issue-data.js';
import { useLookAgain } from './live.js';
import { act } from './tracker-api.js';
import styles from './activity.module.css';

interface ActivityProps {
  readonly facts: Facts;
  readonly issue: WholeIssue;
}

/** What happened to an issue and what was said, in one order; replies stand below what they answer. */
export function IssueActivity({ facts, issue }: ActivityProps): ReactNode {
  const lookAgain = useLookAgain();
  const all = issue.comments.nodes;
  const entries = [
    ...issue.history.nodes.map((change) => ({ createdAt: change.createdAt, change })),
    ...all.filter(({ parentId }) => parentId === null).map((thread) => ({ createdAt: thread.createdAt, thread })),
  ].toSorted(inTime);
  return (
    <section aria-label="Activity" className={styles.activity}>
      <h2 className={styles.h2}>Activity</h2>
      <ol className={styles.entries}>
        <li className={styles.change}>
          <strong>{facts.people.get(issue.creator?.id ?? '')?.name ?? 'Somebody'}</strong> created the issue{' '}
          <When at={issue.createdAt} />
        </li>
        {entries.map((entry) =>
          'change' in entry ? (
            <ChangeLine key={entry.change.id} change={entry.change} facts={facts} />
          ) : (
            <li key={entry.thread.id}>
              <Thread
                first={entry.thread}
                replies={all.filter(({ parentId }) => parentId === entry.thread.id).toSorted(inTime)}
                facts={facts}
                target={{ issue: issue.identifier }}
              />
            </li>
          ),
        )}
      </ol>
      <CommentBox
        isMain
        label={`Comment on ${issue.identifier}`}
        placeholder="Leave a comment…"
        facts={facts}
        onSend={(body) => act('comment', { issue: issue.identifier, body }).then(lookAgain)}
      />
    </section>
  );
}

function ChangeLine({ change, facts }: { change: Change; facts: Facts }): ReactNode {
  const who = facts.people.get(change.actor?.id ?? '')?.name ?? change.botActor?.name ?? 'Somebody';
  return (
    <li className={styles.change}>
      <strong>{who}</strong> {changeWords(change).join(', ')} <When at={change.createdAt} />
    </li>
  );
}
