import type { ReactNode } from 'react';
import type { TeamFacts } from './facts.js';
import type { Issue } from './tracker-api.js';
import { sessionTone, sessionWords } from './words.js';
import styles from './list.module.css';

/** Which agent works on an issue, and how it is doing. */
export function AgentDot({ issue, facts }: { issue: Issue; facts: TeamFacts }): ReactNode {
  const agent = facts.people.get(issue.delegate?.id ?? '');
  const status = issue.agentSessions.nodes[0]?.status;
  if (!agent && status === undefined) return null;
  const words = [agent?.name, status && sessionWords(status)].filter(Boolean).join(': ');
  return (
    <span className={styles.agent} title={words}>
      <span className={styles.agentDot} data-tone={status === undefined ? 'plain' : sessionTone(status)} aria-hidden />
      <span className={styles.agentName}>{agent?.name ?? 'Agent'}</span>
      {status !== undefined && <span className="visually-hidden">{sessionWords(status)}</span>}
    </span>
  );
}
