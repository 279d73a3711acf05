import type { ReactNode } from 'react';
import { Circle, CircleCheck, CircleX, LoaderCircle } from 'lucide-react';
import type { Json } from '../api/wire.js';
import { SafeLink } from '../text/mrkdwn-view.js';
import { RichTextElements } from './rich-text.js';
import { list, obj, str } from './surface.js';
import styles from './panels.module.css';

const STATUSES = {
  pending: { Icon: Circle, word: 'Pending' },
  in_progress: { Icon: LoaderCircle, word: 'In progress' },
  complete: { Icon: CircleCheck, word: 'Done' },
  error: { Icon: CircleX, word: 'Failed' },
} as const;

const isStatus = (value: string): value is keyof typeof STATUSES => Object.hasOwn(STATUSES, value);

/** A step of an agent's work: its status as an icon and a word, what it did folded, and what it read as links. */
export function TaskCardBlock({ block }: { block: Json }): ReactNode {
  const sent = str(block['status']);
  const status = isStatus(sent) ? sent : 'pending';
  const { Icon, word } = STATUSES[status];
  const sources = list(block['sources']);
  return (
    <div className={styles.task} role="group" aria-label={str(block['title'])}>
      <div className={styles.taskHead} data-status={status}>
        <Icon size={16} aria-hidden className={styles.taskIcon} />
        <span className={styles.taskTitle} dir="auto">
          {str(block['title'])}
        </span>
        <span className={styles.taskStatus}>{word}</span>
      </div>
      <Folded title="Details" text={block['details']} />
      <Folded title="Output" text={block['output']} />
      {sources.length > 0 && (
        <ul className={styles.sources} aria-label="Sources">
          {sources.map((source, index) => (
            <li key={index}>
              <SafeLink url={str(source['url'])}>{str(source['text']) || str(source['url'])}</SafeLink>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Folded({ title, text }: { title: string; text: unknown }): ReactNode {
  const elements = list(obj(text)?.['elements']);
  if (elements.length === 0) return null;
  return (
    <details className={styles.folded}>
      <summary>{title}</summary>
      <RichTextElements elements={elements} />
    </details>
  );
}

/** The tasks of an agent under one title, with how many are done. */
export function PlanBlock({ block }: { block: Json }): ReactNode {
  const tasks = list(block['tasks']);
  const title = str(block['title']);
  const done = tasks.filter(({ status }) => status === 'complete').length;
  return (
    <div className={styles.plan} role="group" aria-label={title || 'Plan'}>
      <div className={styles.planHead}>
        <span className={styles.title} dir="auto">
          {title || 'Plan'}
        </span>
        {tasks.length > 0 && (
          <span className={styles.planCount}>
            {done} of {tasks.length} done
          </span>
        )}
      </div>
      {tasks.length > 0 && (
        <ol className={styles.tasks} aria-label="Tasks">
          {tasks.map((task, index) => (
            <li key={str(task['task_id']) || index}>
              <TaskCardBlock block={task} />
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}
