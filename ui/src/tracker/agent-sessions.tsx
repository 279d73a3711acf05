import { useEffect, useState, type ReactNode } from 'react';
import { Check, Circle, CircleDashed, ExternalLink, Minus, Square } from 'lucide-react';
import { rest } from '../api/client.js';
import { useCurrentUser } from '../api/current-user.js';
import { MarkdownBlock } from '../blocks/markdown.js';
import { Button } from '../kit/button.js';
import { useGo } from '../kit/link.js';
import { Badge } from '../kit/misc.js';
import { say } from '../kit/toasts.js';
import { SafeLink } from '../text/mrkdwn-view.js';
import { ago, span } from '../text/time.js';
import { CommentBox } from './comment-box.js';
import { agents, type TeamFacts } from './facts.js';
import type { WholeIssue } from './issue-data.js';
import { useLookAgain, useTracker } from './live.js';
import { act } from './tracker-api.js';
import { complain, sessionTone, sessionWords } from './words.js';
import styles from './agents.module.css';

interface Activity {
  id: string;
  type: string;
  body: string | null;
  action?: string;
  parameter?: string;
  result?: string;
  ephemeral: boolean;
  signal: string | null;
  signal_metadata: { options?: { label?: string; value: string }[]; url?: string; providerName?: string } | null;
  at: string;
}

interface Session {
  id: string;
  app: string | null;
  status: string;
  unresponsive: boolean;
  dismissed: boolean;
  stale_in_ms: number | null;
  plan: { content: string; status: string }[] | null;
  external_urls: { label: string; url: string }[];
  summary: string | null;
  at: string;
  activities: Activity[];
}

/** How often an open session is looked at although nothing is heard: its countdown follows the sandbox's clock. */
const LOOK_MS = 5_000;
const OVER = new Set(['complete', 'error', 'stale']);

interface PanelProps {
  readonly issue: WholeIssue;
  readonly facts: TeamFacts;
  readonly onDelegate: () => void;
}

/** What agents do for an issue, as they do it. */
export function AgentSessions({ issue, facts, onDelegate }: PanelProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const found = useTracker(
    'sessions',
    [issue.identifier],
    async () => {
      const path = `GET /act/tracker?issue=${encodeURIComponent(issue.identifier)}`;
      const { issue: shown } = await rest<{ issue: { sessions: Session[] } }>(path, { as: 'persona' });
      return { sessions: shown.sessions, askedAt: Date.now() };
    },
    isOpen && LOOK_MS,
  );
  const sessions = found.data?.sessions ?? [];
  const hasOpen = sessions.some(({ stale_in_ms: ms }) => ms !== null);
  useEffect(() => setOpen(hasOpen), [hasOpen]);
  return (
    <section aria-label="Agent sessions" className={styles.panel}>
      <h2 className={styles.h2}>Agent sessions</h2>
      <p className="visually-hidden" role="status" aria-live="polite">
        {newsOf(sessions[0])}
      </p>
      {found.data && sessions.length === 0 && (
        <div className={styles.none}>
          <p>
            {agents(facts).length === 0
              ? 'No app here is an agent: install an application with app:assignable.'
              : 'No agent works on this issue.'}
          </p>
          {agents(facts).length > 0 && (
            <Button size="small" onPress={onDelegate}>
              Delegate to an agent
            </Button>
          )}
        </div>
      )}
      {sessions.map((session) => (
        <SessionView key={session.id} session={session} askedAt={found.data?.askedAt ?? 0} facts={facts} />
      ))}
    </section>
  );
}

/** What a screen reader is told when it changes. */
function newsOf(session: Session | undefined): string {
  if (!session) return '';
  const last = session.activities.at(-1);
  const state = session.unresponsive ? 'unresponsive' : sessionWords(session.status);
  return `${session.app ?? 'Agent'}: ${state}. ${last ? wordsOfActivity(last) : ''}`;
}

const wordsOfActivity = ({ body, action, parameter }: Activity): string =>
  body ?? [action, parameter].filter(Boolean).join(' ');

function SessionView({ session, askedAt, facts }: { session: Session; askedAt: number; facts: TeamFacts }): ReactNode {
  const { team, isAdmin } = useCurrentUser();
  const go = useGo();
  const lookAgain = useLookAgain();
  const { id, app, status, dismissed, plan, external_urls: urls } = session;
  const isOver = OVER.has(status) || dismissed;
  const last = session.activities.at(-1);
  const choices = status === 'awaitingInput' && last?.signal === 'select' ? (last.signal_metadata?.options ?? []) : [];
  const signIn = status === 'awaitingInput' && last?.signal === 'auth' ? last.signal_metadata : null;
  const doing = (work: Promise<unknown>): void => void work.then(lookAgain, complain);
  const seeRequest = (): void =>
    void requestOf(id).then(
      (entry) => go(entry === null ? `/w/${team.id}/deliveries` : `/w/${team.id}/inspect/${entry}`),
      complain,
    );
  return (
    <div className={styles.session}>
      <header className={styles.head}>
        <strong className={styles.app}>{app ?? 'Agent'}</strong>
        <Badge tone={sessionTone(status)}>{sessionWords(status)}</Badge>
        {session.unresponsive && <Badge tone="bad">unresponsive</Badge>}
        {dismissed && <Badge>dismissed</Badge>}
        <span className={styles.when}>{ago(new Date(session.at))}</span>
      </header>
      {session.summary !== null && <p className={styles.summary}>{session.summary}</p>}
      {session.stale_in_ms !== null && <StaleIn ms={session.stale_in_ms} since={askedAt} />}
      {plan !== null && plan.length > 0 && <Plan steps={plan} />}
      {urls.length > 0 && (
        <ul className={styles.urls} aria-label="Links of the agent">
          {urls.map(({ label, url }) => (
            <li key={url}>
              <ExternalLink size={12} aria-hidden />
              <SafeLink url={url}>{label}</SafeLink>
            </li>
          ))}
        </ul>
      )}
      <ol className={styles.activities} aria-label={`What ${app ?? 'the agent'} said`}>
        {session.activities.map((activity) => (
          <ActivityView key={activity.id} activity={activity} />
        ))}
      </ol>
      {choices.length > 0 && (
        <div className={styles.choices} role="group" aria-label="Choices">
          {choices.map(({ label, value }) => (
            <Button
              key={value}
              size="small"
              kind="primary"
              onPress={() => doing(act('session_select', { session: id, value }))}
            >
              {label ?? value}
            </Button>
          ))}
        </div>
      )}
      {signIn?.url !== undefined && (
        <p className={styles.signIn}>
          <SafeLink url={signIn.url}>Sign in{signIn.providerName ? ` to ${signIn.providerName}` : ''}</SafeLink>
        </p>
      )}
      {!dismissed && (
        <CommentBox
          key={id}
          label={`Message ${app ?? 'the agent'}`}
          facts={facts}
          onSend={(body) => act('session_prompt', { session: id, body }).then(lookAgain)}
        />
      )}
      <div className={styles.buttons}>
        {!isOver && (
          <Button
            size="small"
            icon={<Square size={11} />}
            isDisabled={status === 'stopping'}
            onPress={() => doing(act('session_stop', { session: id }))}
          >
            Stop
          </Button>
        )}
        {isAdmin && (
          <Button size="small" kind="quiet" onPress={seeRequest}>
            See request
          </Button>
        )}
      </div>
    </div>
  );
}

/** The newest delivery that told an app of a session; null: none is recorded. */
async function requestOf(session: string): Promise<string | null> {
  const query = new URLSearchParams({ kind: 'delivery', text: session, order: 'desc', limit: '20', view: 'summary' });
  const { entries } = await rest<{ entries: { id: string; event?: string }[] }>(
    `GET /sandboxes/self/timeline?${query.toString()}`,
  );
  const found = entries.find(({ event }) => event?.startsWith('AgentSessionEvent.')) ?? entries[0];
  if (!found) say('No request of this session is recorded.');
  return found?.id ?? null;
}

/** Counts down until the session is stale. */
function StaleIn({ ms, since }: { ms: number; since: number }): ReactNode {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), 1_000);
    return () => clearInterval(timer);
  }, []);
  const left = Math.max(0, ms - (Date.now() - since));
  return (
    <p className={styles.stale}>{left === 0 ? 'Stale at any moment' : `Stale in ${span(Math.round(left / 1000))}`}</p>
  );
}

const STEP: Readonly<Record<string, [icon: ReactNode, words: string]>> = {
  pending: [<CircleDashed size={14} key="i" />, 'To do'],
  inProgress: [<Circle size={14} key="i" />, 'In progress'],
  completed: [<Check size={14} key="i" />, 'Done'],
  canceled: [<Minus size={14} key="i" />, 'Canceled'],
};

const Plan = ({ steps }: { steps: readonly { content: string; status: string }[] }): ReactNode => (
  <ul className={styles.plan} aria-label="Plan">
    {steps.map(({ content, status }, index) => {
      const [icon, words] = STEP[status] ?? STEP['pending']!;
      return (
        <li key={index} data-status={status}>
          <span className={styles.stepIcon} aria-hidden>
            {icon}
          </span>
          <span className="visually-hidden">{words}: </span>
          <span>{content}</span>
        </li>
      );
    })}
  </ul>
);

const KINDS: Readonly<Record<string, string>> = {
  thought: 'Thought',
  action: 'Action',
  elicitation: 'Asks',
  response: 'Response',
  error: 'Error',
  prompt: 'Prompt',
};

function ActivityView({ activity }: { activity: Activity }): ReactNode {
  const { type, body, action, parameter, result, ephemeral, signal } = activity;
  return (
    <li className={styles.activity} data-type={type} data-ephemeral={ephemeral}>
      <span className={styles.kind}>
        {KINDS[type] ?? type}
        {signal !== null && ` · ${signal}`}
        {ephemeral && <span className="visually-hidden"> (passing)</span>}
      </span>
      {action !== undefined ? (
        <span className={styles.said}>
          <strong>{action}</strong> <code>{parameter}</code>
          {result !== undefined && <MarkdownBlock block={{ text: result }} />}
        </span>
      ) : (
        <span className={styles.said}>
          <MarkdownBlock block={{ text: body ?? '' }} />
        </span>
      )}
    </li>
  );
}
