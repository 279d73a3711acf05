import type { ReactNode } from 'react';
import { CommentBox } from './comment-box.js';
import { inTime, Thread } from './comment-thread.js';
import type { Facts } from './facts.js';
import { COMMENT_FIELDS, type Comment } from './issue-data.js';
import { useLookAgain, useTracker } from './live.js';
import { act, ask, type Nodes } from './tracker-api.js';
import styles from './activity.module.css';

interface CommentsProps {
  readonly of: 'document' | 'update';
  readonly id: string;
  /** The name of the text box. */
  readonly label: string;
  readonly facts: Facts;
}

/** What is said about a document or a project update. */
export function Comments({ of, id, label, facts }: CommentsProps): ReactNode {
  const lookAgain = useLookAgain();
  const root = of === 'document' ? 'document' : 'projectUpdate';
  const found = useTracker('comments', [id], async () => {
    const query = `query ($id: String!) { of: ${root}(id: $id) { comments(first: 250) { nodes { ${COMMENT_FIELDS} } } } }`;
    return (await ask<{ of: { comments: Nodes<Comment> } }>(query, { id })).of.comments.nodes;
  });
  const all = (found.data ?? []).toSorted(inTime);
  const target = of === 'document' ? { document: id } : { update: id };
  return (
    <section aria-label="Comments" className={styles.comments}>
      {all.length > 0 && (
        <ol className={styles.entries}>
          {all
            .filter(({ parentId }) => parentId === null)
            .map((first) => (
              <li key={first.id}>
                <Thread
                  first={first}
                  replies={all.filter(({ parentId }) => parentId === first.id)}
                  facts={facts}
                  target={target}
                />
              </li>
            ))}
        </ol>
      )}
      <CommentBox
        label={label}
        placeholder="Leave a comment…"
        facts={facts}
        onSend={(body) => act('comment', { ...target, body }).then(lookAgain)}
      />
    </section>
  );
}
