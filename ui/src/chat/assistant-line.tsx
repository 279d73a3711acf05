import { useEffect, useState, type ReactNode } from 'react';
import { CircleStop, Sparkles } from 'lucide-react';
import { rest } from '../api/client.js';
import { findConversation } from '../api/conversations.js';
import { displayName } from '../api/directory.js';
import { wordsFor } from '../api/errors.js';
import { useStore } from '../kit/store.js';
import { Button } from '../kit/button.js';
import { say } from '../kit/toasts.js';
import type { AgentSession, User } from '../api/wire.js';
import { useChat } from './chat-context.js';
import { screen, type AssistantThread } from './screen.js';
import styles from './composer.module.css';

/** How long each loading message is shown. */
const TURN_MS = 3_000;

interface AssistantLineProps {
  readonly channel: string;
  /** Absent in a conversation: then only what an app suggests for all of it is shown. */
  readonly thread?: string;
  readonly session?: AgentSession | undefined;
}

const refused = (error: unknown): void => void say(wordsFor(error), { tone: 'bad' });

/** Over a composer: what an app does now ("deploy-bot is thinking…"), what it suggests to say, and a button to stop it. */
export function AssistantLine({ channel, thread, session }: AssistantLineProps): ReactNode {
  const { assistant } = useStore(screen);
  const here = assistant.filter((one) => one.channel === channel);
  const own = here.filter((one) => one.thread_ts === (thread ?? null));
  // an app's prompts for a thread stand before those for all of its conversation
  const suggesting = [...own, ...here.filter((one) => one.thread_ts === null)].find((one) => one.prompts?.length);
  const prompts = suggesting?.prompts ?? [];
  const working = thread === undefined ? [] : own.filter((one) => one.status !== '');
  const isStoppable = session?.agent_statuses.some((one) => one.status === 'processing' && one.is_stoppable) ?? false;
  if (prompts.length === 0 && working.length === 0 && !isStoppable) return null;
  const act = (verb: string, body: object): void =>
    void rest(`POST /act/${verb}`, {
      as: 'persona',
      body: { channel, ...(thread === undefined ? {} : { thread_ts: thread }), ...body, until: 'none' },
    }).catch(refused);
  return (
    <div className={styles.assistant}>
      {prompts.length > 0 && (
        <div className={styles.prompts} role="group" aria-label="Suggested prompts">
          {prompts.map(({ title }, index) => (
            <button key={index} type="button" className={styles.prompt} onClick={() => act('prompt', { title })}>
              {title}
            </button>
          ))}
        </div>
      )}
      {(working.length > 0 || isStoppable) && (
        <div className={styles.working}>
          <div className={styles.statuses}>
            {working.map((one) => (
              <Status key={one.app_id ?? ''} shown={one} />
            ))}
          </div>
          {isStoppable && (
            <Button size="small" icon={<CircleStop size={14} />} onPress={() => act('stop', {})}>
              Stop
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

function Status({ shown }: { shown: AssistantThread }): ReactNode {
  const { users } = useChat();
  const messages = shown.loading_messages ?? [];
  const turn = useTurn(messages.length);
  const isIts = (user: User): boolean => user.is_bot === true && user.profile.api_app_id === shown.app_id;
  const bot = shown.app_id ? [...users.values()].find(isIts) : users.get(findConversation(shown.channel)?.user ?? '');
  const name = shown.username ?? displayName(bot) ?? 'The app';
  return (
    <p className={styles.status} role="status">
      <Sparkles size={13} aria-hidden />
      <span>
        <bdi>{name}</bdi> {shown.status}
      </span>
      {messages.length > 0 && (
        <span className={styles.loading} aria-live="off">
          {messages[turn]}
        </span>
      )}
    </p>
  );
}

/** Counts on every three seconds, from 0 to below `count`. */
function useTurn(count: number): number {
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (count < 2) return;
    const timer = setInterval(() => setTurn((before) => before + 1), TURN_MS);
    return () => clearInterval(timer);
  }, [count]);
  return count === 0 ? 0 : turn % count;
}
