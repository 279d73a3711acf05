import { useEffect, useState, type ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Filter, Link2, MessageSquare, Repeat2, SquareTerminal, Zap } from 'lucide-react';
import { useGo } from '../kit/link.js';
import { urlOf } from '../api/base.js';
import { useAppNames } from '../api/apps.js';
import { rest } from '../api/client.js';
import { wordsFor } from '../api/errors.js';
import { useCurrentUser } from '../api/current-user.js';
import { Button } from '../kit/button.js';
import { Badge, copyText, Empty, Id, Skeleton } from '../kit/misc.js';
import { Pane } from '../kit/pane.js';
import { Tabs } from '../kit/tabs.js';
import { say } from '../kit/toasts.js';
import { exactTime } from '../text/time.js';
import { Attempts } from './attempts.js';
import { parsedBody } from './bodies.js';
import { curlOf } from './curl.js';
import { asJson, nameOf, outcomeOf, signatureWords, startOf, whoOf, type Entry } from './entries.js';
import type { Filters } from './filters.js';
import { JsonBox } from './json-box.js';
import { Related } from './related.js';
import { isReplayable, Replay } from './replay.js';
import styles from './entry.module.css';

interface EntryPaneProps {
  readonly id: string;
  readonly onClose: () => void;
  readonly onOpen: (id: string) => void;
  readonly onFilter: (filters: Filters) => void;
}

/** The details of one entry. */
export function EntryPane({ id, onClose, onOpen, onFilter }: EntryPaneProps): ReactNode {
  const { team } = useCurrentUser();
  const found = useQuery({
    queryKey: ['entry', team.id, id],
    queryFn: () =>
      rest<Entry & Record<string, unknown>>(
        `GET /sandboxes/self/timeline/${encodeURIComponent(id)}?team_id=${team.id}`,
      ),
    retry: false,
    staleTime: 60_000,
  });
  const entry = found.data;
  return (
    <Pane name="Entry" title={entry ? nameOf(entry) : 'Entry'} onClose={onClose}>
      {found.isPending && <Skeleton />}
      {found.error && <Empty title={wordsFor(found.error)} />}
      {entry && (
        <>
          <Head entry={entry} onFilter={onFilter} onOpen={onOpen} />
          <Sections entry={entry} onOpen={onOpen} />
        </>
      )}
    </Pane>
  );
}

/** Callers by the kind of their credential. */
const CALLER_WORDS: Readonly<Record<string, string>> = {
  bot: 'bot token',
  user: 'user token',
  app: 'app-level token',
  jwt: 'session',
  api_key: 'API key',
};

function Head({ entry, onFilter, onOpen }: { entry: Entry } & Pick<EntryPaneProps, 'onFilter' | 'onOpen'>): ReactNode {
  const [replaying, setReplaying] = useState(false);
  const { team } = useCurrentUser();
  const navigate = useGo();
  const outcome = outcomeOf(entry);
  const apps = useAppNames();
  const [curl] = useState(() => curlOf(entry, urlOf('').href.replace(/\/$/, '')));
  const message = messageOf(entry);
  const differs = Math.abs(Date.parse(entry.at) - Date.parse(entry.wall)) > 1_000;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test((event.target as HTMLElement).tagName);
      if (event.key === 'c' && !isTyping && !event.ctrlKey && !event.metaKey && curl !== null)
        void copyText(curl).then(() => say('Copied as curl.'));
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [curl]);
  const fault = (): void =>
    navigate(
      `/w/${team.id}/faults?method=${encodeURIComponent(entry.method ?? '')}&app=${encodeURIComponent(entry.caller?.app ?? '')}`,
    );
  return (
    <div className={styles.head}>
      <div className={styles.facts}>
        {outcome.words !== '' && (
          <Badge tone={outcome.tone === 'plain' ? 'plain' : outcome.tone}>{outcome.words}</Badge>
        )}
        {entry.client === 'replay' && <Badge tone="accent">replay</Badge>}
        {entry.status !== undefined && <span>HTTP {entry.status}</span>}
        {entry.ms !== undefined && <span>{Math.round(entry.ms * 10) / 10} ms</span>}
        <span>
          {exactTime(new Date(startOf(entry)))}
          {differs && ` (clock ${exactTime(new Date(entry.at))})`}
        </span>
        {entry.signature && <span>{signatureWords(entry.signature)}</span>}
      </div>
      <div className={styles.facts}>
        {[whoOf(entry, apps), CALLER_WORDS[entry.caller?.kind ?? ''] ?? entry.caller?.kind].filter(Boolean).join(' · ')}
        {entry.request_id !== undefined && (
          <span>
            request <Id id={entry.request_id} />
          </span>
        )}
      </div>
      {entry.target?.url && <div className={styles.target}>{entry.target.url}</div>}
      {entry.cost && (
        <div className={styles.facts}>
          Complexity {entry.cost.complexity} · {entry.cost.complexity_left.toLocaleString()} points and{' '}
          {entry.cost.requests_left.toLocaleString()} requests left
        </div>
      )}
      <div className={styles.buttons}>
        {curl !== null && (
          <Button
            size="small"
            icon={<SquareTerminal size={13} />}
            onPress={() => void copyText(curl).then(() => say('Copied as curl.'))}
          >
            Copy as curl
          </Button>
        )}
        {isReplayable(entry) && (
          <Button size="small" icon={<Repeat2 size={13} />} onPress={() => setReplaying(true)}>
            Replay…
          </Button>
        )}
        {entry.kind === 'call' && (
          <Button size="small" icon={<Zap size={13} />} onPress={fault}>
            Fault…
          </Button>
        )}
        <Button
          size="small"
          icon={<Link2 size={13} />}
          onPress={() => void copyText(window.location.href).then(() => say('Link copied.'))}
        >
          Link
        </Button>
        {message !== null && (
          <Button
            size="small"
            icon={<MessageSquare size={13} />}
            onPress={() => navigate(`/w/${team.id}/c/${message.channel}?at=${message.ts}`)}
          >
            Go to message
          </Button>
        )}
        <Button size="small" icon={<Filter size={13} />} onPress={() => onFilter(filtersLike(entry))}>
          Filter by this
        </Button>
        {entry.product === 'tracker' && entry.kind === 'call' && (
          <a href={graphiqlOf(team.id, entry)} target="_blank" rel="noopener" className={styles.link}>
            Open in GraphiQL
          </a>
        )}
      </div>
      {replaying && <Replay entry={entry} onClose={() => setReplaying(false)} onOpen={onOpen} />}
    </div>
  );
}

/** Opens GraphiQL with the call's document and variables. */
function graphiqlOf(teamId: string, entry: Entry): string {
  const { query, variables } = asJson(entry.args) ?? {};
  const fields = new URLSearchParams({ team: teamId });
  if (typeof query === 'string') fields.set('query', query);
  if (asJson(variables)) fields.set('variables', JSON.stringify(variables, null, 2));
  return `graphiql?${fields.toString()}`;
}

const filtersLike = (entry: Entry): Filters =>
  entry.kind === 'call' && entry.method !== undefined
    ? { kind: 'call', method: entry.method, ...(entry.caller?.app_id ? { app_id: entry.caller.app_id } : {}) }
    : { kind: entry.kind };

/** The message that an entry concerns, if it names one. */
function messageOf(entry: Entry): { channel: string; ts: string } | null {
  const from = asJson(entry.answer) ?? asJson(entry.data) ?? {};
  const [channel, ts] = [from['channel'], from['ts']];
  return typeof channel === 'string' && typeof ts === 'string' && /^[CDG]/.test(channel) ? { channel, ts } : null;
}

/** The original length of a body that was cut. */
const wholeOf = (entry: Entry): number | undefined => (typeof entry.length === 'number' ? entry.length : undefined);

function Sections({ entry, onOpen }: { entry: Entry; onOpen: (id: string) => void }): ReactNode {
  const isDelivery = entry.kind === 'delivery';
  const request = isDelivery ? parsedBody(entry.request?.body) : (entry.args ?? entry.data ?? entry.request?.body);
  const answer = isDelivery ? parsedBody(entry.response?.body) : entry.answer;
  const headers = {
    ...(entry.request?.headers ? { request: entry.request.headers } : {}),
    ...(entry.response?.headers ? { response: entry.response.headers } : {}),
    ...(entry.user_agent ? { 'user-agent': entry.user_agent } : {}),
  };
  const isOther = entry.kind !== 'call' && !isDelivery && entry.kind !== 'received';
  const tabs = [
    ...(isOther
      ? [
          {
            id: 'request',
            title: 'Content',
            content: <JsonBox value={entry.data ?? entry} size={wholeOf(entry)} isCut={entry.truncated} />,
          },
        ]
      : [
          {
            id: 'request',
            title: 'Request',
            content: <JsonBox value={request} size={wholeOf(entry)} isCut={entry.truncated} />,
          },
          { id: 'answer', title: 'Answer', content: <JsonBox value={answer} isCut={entry.truncated} /> },
          { id: 'headers', title: 'Headers', content: <JsonBox value={headers} /> },
        ]),
    ...(isDelivery ? [{ id: 'attempts', title: 'Attempts', content: <Attempts entry={entry} /> }] : []),
    { id: 'related', title: 'Related', content: <Related entry={entry} onOpen={onOpen} /> },
  ];
  return <Tabs label="Entry" tabs={tabs} />;
}
