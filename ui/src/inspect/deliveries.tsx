import { useState, type ReactNode } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ChevronDown, ChevronRight, Send } from 'lucide-react';
import { useAppNames } from '../api/apps.js';
import { rest } from '../api/client.js';
import { wordsFor } from '../api/errors.js';
import { useCurrentUser } from '../api/current-user.js';
import { Button } from '../kit/button.js';
import { Switch } from '../kit/field.js';
import { Menu, MenuItem } from '../kit/menu.js';
import { Badge, Empty, Skeleton } from '../kit/misc.js';
import { say } from '../kit/toasts.js';
import { AttemptList, NextRetry, outcomeWords, redeliver, type Delivery } from './delivery-row.js';
import styles from './control.module.css';

interface Answer {
  counts: Record<string, number>;
  deliveries: Delivery[];
}

interface Rule {
  id: string;
  on: { target?: string };
  do: { type: string };
}

const STATES = ['all', 'waiting', 'held', 'retrying', 'failed', 'done'] as const;
const WORDS: Readonly<Record<string, string>> = {
  all: 'All',
  waiting: 'Waiting',
  held: 'Held',
  retrying: 'Retrying',
  failed: 'Failed',
  done: 'Delivered',
  in_flight: 'In flight',
};

const RULES: readonly (readonly [string, Record<string, unknown>, number | null])[] = [
  ['Hold new ones', { type: 'hold' }, null],
  ['Drop one', { type: 'drop' }, 1],
  ['Send one twice', { type: 'duplicate', copies: 2, gap_ms: 0 }, 1],
  ['Delay by 5 s', { type: 'delay', ms: 5_000 }, null],
  ['Sign one wrongly', { type: 'bad_signature' }, 1],
];

/** Deliveries to apps, by state, with every attempt. */
export function Deliveries(): ReactNode {
  const { team } = useCurrentUser();
  const client = useQueryClient();
  const [state, setState] = useState<string>('all');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const query = state === 'all' ? '' : `&state=${state}`;
  const found = useQuery({
    queryKey: ['deliveries', team.id, state],
    queryFn: () =>
      rest<Answer & Record<string, unknown>>(
        `GET /sandboxes/self/deliveries?order=desc&limit=200&team_id=${team.id}${query}`,
      ),
    refetchInterval: 2_000,
    retry: false,
  });
  const rules = useQuery({
    queryKey: ['rules', team.id],
    queryFn: () => rest<{ delivery_rules: Rule[] }>(`GET /sandboxes/self/delivery-rules?team_id=${team.id}`),
    refetchInterval: 5_000,
    retry: false,
  });
  const attempt = (work: Promise<unknown>, done?: string): void =>
    void work.then(
      async () => {
        if (done !== undefined) say(done);
        setChosen(new Set());
        await Promise.all([
          client.invalidateQueries({ queryKey: ['deliveries'] }),
          client.invalidateQueries({ queryKey: ['rules'] }),
        ]);
      },
      (error: unknown) => say(wordsFor(error), { tone: 'bad' }),
    );
  const post = (path: string, body: object): Promise<unknown> =>
    rest(`POST /sandboxes/self/${path}`, { body: { ...body } });
  const resend = async (): Promise<void> => {
    for (const id of chosen) await redeliver(id);
    setChosen(new Set());
  };
  const counts = found.data?.counts ?? {};
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const deliveries = found.data?.deliveries ?? [];
  const apps = useAppNames();
  const failed = deliveries.filter(({ state: one }) => one === 'failed').map(({ id }) => id);
  const targets = [...new Map(deliveries.map(({ target }) => [target.id, target])).values()];
  return (
    <div className={styles.page}>
      <div className={styles.bar}>
        <div role="tablist" aria-label="Deliveries by state" className={styles.states}>
          {STATES.map((each) => (
            <button
              key={each}
              type="button"
              role="tab"
              aria-selected={state === each}
              className={styles.state}
              onClick={() => setState(each)}
            >
              {WORDS[each]} <span className={styles.count}>{each === 'all' ? total : (counts[each] ?? 0)}</span>
            </button>
          ))}
        </div>
        <span className={styles.gap} />
        {failed.length > 0 && chosen.size === 0 && (
          <Button size="small" onPress={() => setChosen(new Set(failed))}>
            Choose all failed
          </Button>
        )}
        {chosen.size > 0 && (
          <>
            <Button size="small" kind="quiet" onPress={() => setChosen(new Set())}>
              Choose none
            </Button>
            <Button size="small" kind="primary" icon={<Send size={13} />} onPress={() => void resend()}>
              Resend {chosen.size}
            </Button>
          </>
        )}
        {(counts['held'] ?? 0) > 0 && (
          <Menu label="Release" trigger={<Button size="small">Release {counts['held']}</Button>}>
            {(['as_is', 'reversed', 'shuffled'] as const).map((order) => (
              <MenuItem key={order} onAction={() => attempt(post('deliveries/release', { order }), 'Released.')}>
                {{ as_is: 'In their order', reversed: 'Reversed', shuffled: 'Shuffled' }[order]}
              </MenuItem>
            ))}
          </Menu>
        )}
        <Button
          size="small"
          onPress={() => attempt(post('deliveries/flush', { timeout_ms: 5_000 }), 'Everything due was sent.')}
        >
          Flush due
        </Button>
      </div>
      {targets.map((target) => (
        <Target
          key={target.id}
          target={target}
          app={apps.get(target.app_id ?? '')}
          deliveries={deliveries.filter((one) => one.target.id === target.id)}
          rules={(rules.data?.delivery_rules ?? []).filter((rule) => rule.on.target === target.id)}
          onRule={(what, times) => attempt(post('delivery-rules', { on: { target: target.id }, do: what, times }))}
          onRemove={(id) => attempt(rest(`DELETE /sandboxes/self/delivery-rules/${id}?team_id=${team.id}`))}
        />
      ))}
      {found.isPending && <Skeleton />}
      {found.error && <Empty title={wordsFor(found.error)} />}
      {found.data && deliveries.length === 0 && (
        <Empty
          title={state === 'all' ? 'Nothing was sent yet' : `Nothing is ${(WORDS[state] ?? '').toLowerCase()}`}
          icon={<Send size={22} />}
        >
          Events, commands and clicks go to apps that subscribed; each attempt shows up here.
        </Empty>
      )}
      <ul className={styles.rows} aria-label="Deliveries">
        {deliveries.map((delivery) => (
          <Row
            key={delivery.id}
            delivery={delivery}
            app={apps.get(delivery.target.app_id ?? '')}
            isChosen={chosen.has(delivery.id)}
            onChoose={() => setChosen(toggled(chosen, delivery.id))}
            onResend={() => attempt(redeliver(delivery.id))}
          />
        ))}
      </ul>
    </div>
  );
}

function toggled(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(id)) next.add(id);
  return next;
}

interface TargetProps {
  readonly target: Delivery['target'];
  readonly app: string | undefined;
  readonly deliveries: readonly Delivery[];
  readonly rules: readonly Rule[];
  readonly onRule: (what: Record<string, unknown>, times: number | null) => void;
  readonly onRemove: (id: string) => void;
}

function Target({ target, app, deliveries, rules, onRule, onRemove }: TargetProps): ReactNode {
  const hold = rules.find((rule) => rule.do.type === 'hold');
  const ended = deliveries.filter(({ state }) => state === 'done' || state === 'failed').slice(0, 50);
  const good = ended.filter(({ state }) => state === 'done').length;
  return (
    <div className={styles.target}>
      <span className={styles.targetName}>
        <strong>{app ?? target.kind.replaceAll('_', ' ')}</strong> <code>{target.url ?? target.id}</code>
        {target.enabled === false && <Badge tone="bad">disabled after failures</Badge>}
      </span>
      {ended.length > 0 && (
        <span className={styles.health} aria-label={`${good} of the last ${ended.length} arrived`} role="img">
          {[...ended].reverse().map((delivery) => (
            <span key={delivery.id} className={delivery.state === 'done' ? styles.good : styles.bad} />
          ))}
          <span className={styles.share}>{Math.round((good / ended.length) * 100)} %</span>
        </span>
      )}
      <Switch
        isSelected={hold !== undefined}
        onChange={(on) => (on ? onRule({ type: 'hold' }, null) : hold && onRemove(hold.id))}
      >
        Hold new ones
      </Switch>
      <Menu label="Rules" trigger={<Button size="small">Rule…</Button>}>
        {RULES.map(([name, what, times]) => (
          <MenuItem key={name} onAction={() => onRule(what, times)}>
            {name}
          </MenuItem>
        ))}
      </Menu>
      {rules
        .filter((rule) => rule !== hold)
        .map((rule) => (
          <Button key={rule.id} size="small" kind="quiet" onPress={() => onRemove(rule.id)}>
            {rule.do.type.replaceAll('_', ' ')} ✕
          </Button>
        ))}
    </div>
  );
}

const TONES: Readonly<Record<string, 'ok' | 'bad' | 'warn' | 'plain'>> = {
  done: 'ok',
  failed: 'bad',
  retrying: 'warn',
  held: 'warn',
};

function Row({
  delivery,
  app,
  isChosen,
  onChoose,
  onResend,
}: {
  delivery: Delivery;
  app: string | undefined;
  isChosen: boolean;
  onChoose: () => void;
  onResend: () => void;
}): ReactNode {
  const [open, setOpen] = useState(false);
  const last = delivery.attempts.at(-1);
  return (
    <li className={styles.row}>
      <div className={styles.line}>
        <input
          type="checkbox"
          aria-label={`Choose ${delivery.event} ${delivery.event_id}`}
          checked={isChosen}
          onChange={onChoose}
        />
        <button type="button" className={styles.open} aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? <ChevronDown size={14} aria-hidden /> : <ChevronRight size={14} aria-hidden />}
          <strong className={styles.event}>{delivery.event}</strong>
          <code className={styles.id}>{delivery.event_id}</code>
          <span className={styles.to}>{app ?? delivery.target.url ?? delivery.target.kind.replaceAll('_', ' ')}</span>
          <Badge tone={TONES[delivery.state] ?? 'plain'}>
            {(WORDS[delivery.state] ?? delivery.state).toLowerCase()}
          </Badge>
          <span>{delivery.attempts.length === 1 ? '1 attempt' : `${delivery.attempts.length} attempts`}</span>
          <span className={styles.outcome}>{outcomeWords(last)}</span>
          {delivery.next_retry_at !== null && delivery.state === 'retrying' && (
            <NextRetry at={delivery.next_retry_at} />
          )}
        </button>
        <Button size="small" onPress={onResend}>
          Resend now
        </Button>
      </div>
      {open && (
        <div className={styles.inner}>
          <AttemptList delivery={delivery} />
        </div>
      )}
    </li>
  );
}
