import { useState, type ReactNode } from 'react';
import { Link2, Plus, X } from 'lucide-react';
import { Button, IconButton } from '../kit/button.js';
import { Dialog } from '../kit/dialog.js';
import { Choice, Field } from '../kit/field.js';
import { Link } from '../kit/link.js';
import { SafeLink } from '../text/mrkdwn-view.js';
import { DocumentItem } from './documents.js';
import type { Facts } from './facts.js';
import { StateIcon } from './icons.js';
import type { Linked, WholeIssue } from './issue-data.js';
import { useLookAgain } from './live.js';
import { ask } from './tracker-api.js';
import { complain } from './words.js';
import styles from './parts.module.css';

interface PartsProps {
  readonly facts: Facts;
  readonly issue: WholeIssue;
  /** The address of the list. */
  readonly list: string;
  readonly onNew: () => void;
}

const FORWARDS: Readonly<Record<string, string>> = {
  blocks: 'Blocks',
  duplicate: 'Duplicate of',
  related: 'Related to',
  similar: 'Similar to',
};
const BACKWARDS: Readonly<Record<string, string>> = { ...FORWARDS, blocks: 'Blocked by', duplicate: 'Duplicated by' };

/** What hangs on an issue: sub-issues, relations, attachments, documents. */
export function IssueParts({ facts, issue, list, onNew }: PartsProps): ReactNode {
  const [adds, setAdds] = useState<'relation' | 'attachment' | null>(null);
  const lookAgain = useLookAgain();
  const remove = (mutation: string, id: string): void =>
    void ask(`mutation ($id: String!) { ${mutation}(id: $id) { success } }`, { id }).then(lookAgain, complain);
  const relations = [
    ...issue.relations.map((one) => ({ ...one, words: FORWARDS[one.type] ?? one.type })),
    ...issue.inverseRelations.map((one) => ({ ...one, words: BACKWARDS[one.type] ?? one.type })),
  ];
  const done = issue.children.nodes.filter(({ state }) => state.type === 'completed').length;
  return (
    <div className={styles.parts}>
      <Part
        title="Sub-issues"
        note={issue.children.nodes.length > 0 ? `${done} of ${issue.children.nodes.length} done` : ''}
        add="Add a sub-issue"
        onAdd={onNew}
        isEmpty={issue.children.nodes.length === 0}
      >
        {issue.children.nodes.map((child) => (
          <li key={child.id}>
            <IssueLink issue={child} list={list} />
          </li>
        ))}
      </Part>
      <Part title="Relations" add="Add a relation" onAdd={() => setAdds('relation')} isEmpty={relations.length === 0}>
        {relations.map((relation) => (
          <li key={relation.id}>
            <span className={styles.kind}>{relation.words}</span>
            <IssueLink issue={relation.issue} list={list} />
            <IconButton
              label={`Remove the relation to ${relation.issue.identifier}`}
              size="small"
              onPress={() => remove('issueRelationDelete', relation.id)}
            >
              <X size={13} />
            </IconButton>
          </li>
        ))}
      </Part>
      <Part
        title="Attachments"
        add="Attach a link"
        onAdd={() => setAdds('attachment')}
        isEmpty={issue.attachments.nodes.length === 0}
      >
        {issue.attachments.nodes.map(({ id, title, subtitle, url }) => (
          <li key={id}>
            <Link2 size={14} aria-hidden className={styles.mark} />
            <span className={styles.words}>
              <SafeLink url={url}>{title}</SafeLink>
              {subtitle !== null && <span className={styles.note}>{subtitle}</span>}
            </span>
            <IconButton label={`Remove ${title}`} size="small" onPress={() => remove('attachmentDelete', id)}>
              <X size={13} />
            </IconButton>
          </li>
        ))}
      </Part>
      {issue.documents.nodes.length > 0 && (
        <Part title="Documents" isEmpty={false}>
          {issue.documents.nodes.map((document) => (
            <DocumentItem key={document.id} document={document} facts={facts} />
          ))}
        </Part>
      )}
      {adds === 'relation' && <AddRelation issue={issue} onClose={() => setAdds(null)} />}
      {adds === 'attachment' && <AddAttachment issue={issue} onClose={() => setAdds(null)} />}
    </div>
  );
}

interface PartProps {
  readonly title: string;
  readonly note?: string;
  readonly add?: string;
  readonly onAdd?: () => void;
  readonly isEmpty: boolean;
  readonly children: ReactNode;
}

const Part = ({ title, note, add, onAdd, isEmpty, children }: PartProps): ReactNode => (
  <section aria-label={title} className={styles.part} data-empty={isEmpty}>
    <header className={styles.head}>
      <h2 className={styles.h2}>{title}</h2>
      {note !== undefined && <span className={styles.note}>{note}</span>}
      {add !== undefined && onAdd && (
        <IconButton label={add} size="small" onPress={onAdd}>
          <Plus size={14} />
        </IconButton>
      )}
    </header>
    {!isEmpty && <ul className={styles.list}>{children}</ul>}
  </section>
);

function IssueLink({ issue, list }: { issue: Linked; list: string }): ReactNode {
  const at = list.replace(/[^/]+$/, issue.team.key);
  return (
    <Link href={`${at}/${issue.identifier}`} className={styles.issue}>
      <StateIcon state={issue.state} />
      <span className="visually-hidden">{issue.state.name}</span>
      <span className={styles.identifier}>{issue.identifier}</span>
      <span className={styles.title}>{issue.title}</span>
    </Link>
  );
}

function AddRelation({ issue, onClose }: { issue: WholeIssue; onClose: () => void }): ReactNode {
  const [type, setType] = useState<string>('blocks');
  const [other, setOther] = useState('');
  const [key = '', isBack] = type.split(' ');
  const ends = isBack ? { issueId: other, relatedIssueId: issue.id } : { issueId: issue.id, relatedIssueId: other };
  return (
    <AddDialog
      title="Add a relation"
      isReady={other.trim() !== ''}
      onClose={onClose}
      onAdd={() =>
        ask('mutation ($input: IssueRelationCreateInput!) { issueRelationCreate(input: $input) { success } }', {
          input: { ...ends, type: key },
        })
      }
    >
      <Choice
        label="This issue"
        value={type}
        onChange={setType}
        options={[
          ['blocks', 'blocks'],
          ['blocks back', 'is blocked by'],
          ['related', 'is related to'],
          ['duplicate', 'is a duplicate of'],
          ['similar', 'is similar to'],
        ]}
      />
      <Field label="Issue" placeholder="ENG-12" value={other} onChange={setOther} autoFocus />
    </AddDialog>
  );
}

function AddAttachment({ issue, onClose }: { issue: WholeIssue; onClose: () => void }): ReactNode {
  const [url, setUrl] = useState('');
  const [title, setTitle] = useState('');
  return (
    <AddDialog
      title="Attach a link"
      isReady={url.trim() !== ''}
      onClose={onClose}
      onAdd={() =>
        ask(
          'mutation ($issueId: String!, $url: String!, $title: String) { attachmentLinkURL(issueId: $issueId, url: $url, title: $title) { success } }',
          { issueId: issue.id, url: url.trim(), ...(title.trim() !== '' && { title }) },
        )
      }
    >
      <Field label="URL" placeholder="https://github.com/acme/app/pull/12" value={url} onChange={setUrl} autoFocus />
      <Field label="Title" note="Without one, it is made of the URL." value={title} onChange={setTitle} />
    </AddDialog>
  );
}

interface AddProps {
  readonly title: string;
  readonly isReady: boolean;
  readonly onAdd: () => Promise<unknown>;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

function AddDialog({ title, isReady, onAdd, onClose, children }: AddProps): ReactNode {
  const lookAgain = useLookAgain();
  const add = async (): Promise<void> => {
    await onAdd();
    await lookAgain();
    onClose();
  };
  return (
    <Dialog title={title} isOpen size="small" onClose={onClose}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) add().catch(complain);
        }}
      >
        {children}
        <div className={styles.buttons}>
          <Button onPress={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isDisabled={!isReady}>
            Add
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
