import { useState, type ReactNode } from 'react';
import { ArrowLeft, MoreHorizontal } from 'lucide-react';
import { useCurrentUser } from '../api/current-user.js';
import { MarkdownBlock } from '../blocks/markdown.js';
import { Button, IconButton } from '../kit/button.js';
import { Field } from '../kit/field.js';
import { Link, useGo } from '../kit/link.js';
import { Menu, MenuItem } from '../kit/menu.js';
import { copyText, Empty, Skeleton } from '../kit/misc.js';
import { say } from '../kit/toasts.js';
import { AgentSessions } from './agent-sessions.js';
import { useTeamFacts, type TeamFacts } from './facts.js';
import { IssueActivity } from './issue-activity.js';
import { useIssueChanges, type Choice } from './issue-changes.js';
import { useIssue, type WholeIssue } from './issue-data.js';
import { IssueParts } from './issue-parts.js';
import { IssueProperties } from './issue-properties.js';
import { lastList } from './last-list.js';
import { useLookAgain } from './live.js';
import { NewIssue } from './new-issue.js';
import { Reactions } from './reactions.js';
import { useScreenKeys } from './screen-keys.js';
import { act } from './tracker-api.js';
import { complain, refusal } from './words.js';
import styles from './issue.module.css';

/** One issue with all that belongs to it. */
export function IssueView({ teamKey, identifier }: { teamKey: string; identifier: string }): ReactNode {
  const facts = useTeamFacts(teamKey);
  const found = useIssue(identifier);
  if (facts === null) return <Empty title={`There is no team ${teamKey}, or you cannot see it.`} />;
  if (found.error) return <Empty title={refusal(found.error)} />;
  if (!facts || !found.data) return <Skeleton />;
  return <Issue facts={facts} issue={found.data} />;
}

function Issue({ facts, issue }: { facts: TeamFacts; issue: WholeIssue }): ReactNode {
  const { team } = useCurrentUser();
  const go = useGo();
  const changes = useIssueChanges(facts);
  const [isMaking, setMaking] = useState(false);
  const [isEditing, setEditing] = useState(false);
  const { identifier } = issue;
  const list = `/w/${team.id}/t/${facts.team.key}`;
  const back = (): void => {
    lastList.issue = identifier;
    go(lastList.search === '' ? list : `${list}?${lastList.search}`);
  };
  const change = (what: Choice) => (): void => changes.choose(what, issue);
  useScreenKeys({
    a: change('assignee'),
    d: change('delegate'),
    s: change('state'),
    p: change('priority'),
    c: () => setMaking(true),
    m: () => document.querySelector<HTMLElement>('[data-comment-box]')?.focus(),
    Escape: back,
  });
  const copy = (text: string): void => void copyText(text).then(() => say('Copied.'));
  return (
    <>
      <header className={styles.head}>
        <IconButton label={`Back to ${facts.team.key}`} hint="Back (Esc)" onPress={back}>
          <ArrowLeft size={16} />
        </IconButton>
        <nav aria-label="Where it is" className={styles.where}>
          <Link href={list}>{facts.team.name}</Link>
          {issue.parent && (
            <>
              {' › '}
              <Link href={`${list}/${issue.parent.identifier}`}>{issue.parent.identifier}</Link>
            </>
          )}
          {' › '}
          <span>{identifier}</span>
        </nav>
        <Button size="small" onPress={change('delegate')}>
          Delegate
        </Button>
        <Menu
          label={`Actions of ${identifier}`}
          trigger={
            <IconButton label="More">
              <MoreHorizontal size={16} />
            </IconButton>
          }
        >
          <MenuItem onAction={() => setEditing(true)}>Edit title and description</MenuItem>
          <MenuItem onAction={() => setMaking(true)}>New sub-issue</MenuItem>
          <MenuItem onAction={() => copy(identifier)}>Copy identifier</MenuItem>
          <MenuItem onAction={() => copy(issue.url)}>Copy link of the API</MenuItem>
          <MenuItem onAction={() => copy(issue.branchName)}>Copy branch name</MenuItem>
        </Menu>
      </header>
      <div className={styles.split}>
        <article className={styles.article} aria-label={identifier}>
          {isEditing ? (
            <EditIssue issue={issue} onClose={() => setEditing(false)} />
          ) : (
            <>
              <h1 className={styles.title}>{issue.title}</h1>
              {issue.description ? (
                <div className={styles.text}>
                  <MarkdownBlock block={{ text: issue.description }} />
                </div>
              ) : (
                <button type="button" className={styles.addText} onClick={() => setEditing(true)}>
                  Add a description
                </button>
              )}
            </>
          )}
          <Reactions target={{ issue: identifier }} data={issue.reactionData} facts={facts} />
          <IssueParts facts={facts} issue={issue} list={list} onNew={() => setMaking(true)} />
        </article>
        <div className={styles.side}>
          <IssueProperties facts={facts} issue={issue} choose={(what) => changes.choose(what, issue)} />
          <AgentSessions issue={issue} facts={facts} onDelegate={change('delegate')} />
        </div>
        <div className={styles.activity}>
          <IssueActivity facts={facts} issue={issue} />
        </div>
      </div>
      {isMaking && <NewIssue facts={facts} parent={identifier} onClose={() => setMaking(false)} />}
      {changes.picker}
    </>
  );
}

function EditIssue({ issue, onClose }: { issue: WholeIssue; onClose: () => void }): ReactNode {
  const lookAgain = useLookAgain();
  const [title, setTitle] = useState(issue.title);
  const [description, setDescription] = useState(issue.description ?? '');
  const save = async (): Promise<void> => {
    await act('issue_update', { issue: issue.identifier, title, description });
    await lookAgain();
    onClose();
  };
  return (
    <form
      className={styles.edit}
      onSubmit={(event) => {
        event.preventDefault();
        if (title.trim() !== '') save().catch(complain);
      }}
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      <Field label="Title" value={title} onChange={setTitle} autoFocus />
      <Field label="Description" lines={8} value={description} onChange={setDescription} note="Markdown" />
      <div className={styles.buttons}>
        <Button onPress={onClose}>Cancel</Button>
        <Button kind="primary" type="submit" isDisabled={title.trim() === ''}>
          Save
        </Button>
      </div>
    </form>
  );
}
