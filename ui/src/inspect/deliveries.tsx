import { useState, type ReactNode } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Send } from 'lucide-react';
import { useAppNames } from '../api/apps.js';
import { rest } from '../api/client.js';
import { wordsFor } from '../api/errors.js';
import { useCurrentUser } from '../api/current-user.js';
import { Button } from '../kit/button.js';
import { Menu, MenuItem } from '../kit/menu.js';
import { Empty, Skeleton } from '../kit/misc.js';
import { say } from '../kit/toasts.js';
import { DeliveryList, STATE_WORDS as WORDS, targetName } from './delivery-list.js';
import { outcomeWords, redeliver, type Delivery } from './delivery-row.js';
import { DeliveryTarget, type Rule } from './delivery-target.js';
import styles from './control.module.css';
import list from './deliveries.module.css';

interface Answer {
  counts: Record<string, number>;
  deliveries: Delivery[];
}

const STATES = ['all', 'waiting', 'held', 'retrying', 'failed', 'done'] as const;
/** Deliveries to apps, by state, with every attempt. */
export function Deliveries(): ReactNode {
  const { team } = useCurrentUser();
  const client = useQueryClient();
  const [state, setState] = useState<string>('all');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [text, setText] = useState('');
  // a link may name one
  const [target, setTarget] = useState(() => new URLSearchParams(window.location.search).get('target') ?? '');
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
  const counts = found.data?.counts ?? {};
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const loaded = found.data?.deliveries ?? [];
  const apps = useAppNames();
  const targets = [...new Map(loaded.map((one) => [one.target.id, one.target])).values()];
  const deliveries = loaded.filter((one) => fits(one, targetName(one, apps), text, target));
  const failed = deliveries.filter(({ state: one }) => one === 'failed').map(({ id }) => id);
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
        <input
          type="search"
          className={list.search}
          aria-label="Search deliveries"
          placeholder="Event, channel, text, answer"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        {targets.length > 1 && (
          <select
            className={list.search}
            aria-label="Target"
            value={target}
            onChange={(event) => setTarget(event.target.value)}
          >
            <option value="">All targets</option>
            {targets.map((one) => (
              <option key={one.id} value={one.id}>
                {targetName({ target: one }, apps)}
              </option>
            ))}
          </select>
        )}
        <span className={styles.gap} />
        {failed.length > 0 && chosen.size === 0 && (
          <Button size="small" onPress={() => setChosen(new Set(failed))}>
            Select all failed
          </Button>
        )}
        {chosen.size > 0 && (
          <>
            <Button size="small" kind="quiet" onPress={() => setChosen(new Set())}>
              Clear selection
            </Button>
            <Button
              size="small"
              kind="primary"
              icon={<Send size={13} />}
              onPress={() => attempt(redeliver(deliveries.filter(({ id }) => chosen.has(id))))}
            >
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
      {targets.map((one) => (
        <DeliveryTarget
          key={one.id}
          target={one}
          app={apps.get(one.app_id ?? '')}
          deliveries={loaded.filter((delivery) => delivery.target.id === one.id)}
          rules={(rules.data?.delivery_rules ?? []).filter((rule) => rule.on.target === one.id)}
          onRule={(what, times) => attempt(post('delivery-rules', { on: { target: one.id }, do: what, times }))}
          onRemove={(id) => attempt(rest(`DELETE /sandboxes/self/delivery-rules/${id}?team_id=${team.id}`))}
        />
      ))}
      {found.isPending && <Skeleton />}
      {found.error && <Empty title={wordsFor(found.error)} />}
      {found.data && deliveries.length === 0 && (
        <Empty title={emptyWords(state, loaded.length > 0)} icon={<Send size={22} />}>
          Events, commands and clicks go to apps that subscribed; each attempt shows up here.
        </Empty>
      )}
      <DeliveryList
        deliveries={deliveries}
        apps={apps}
        chosen={chosen}
        onChoose={(id) => setChosen(toggled(chosen, id))}
        onResend={(id) => attempt(redeliver(deliveries.filter((one) => one.id === id)))}
      />
    </div>
  );
}

function emptyWords(state: string, isFiltered: boolean): string {
  if (isFiltered) return 'No delivery matches';
  return state === 'all' ? 'No deliveries yet' : `No ${(WORDS[state] ?? '').toLowerCase()} deliveries`;
}

/** Whether a delivery is for this target and says this text: in its event, ids, what it is about, or its answer. */
function fits(delivery: Delivery, name: string, text: string, target: string): boolean {
  if (target !== '' && delivery.target.id !== target) return false;
  const { event, event_id: id, text: about, channel, attempts } = delivery;
  const words = [event, id, about, channel, name, delivery.target.url, outcomeWords(attempts.at(-1))];
  return words.some((word) => word?.toLowerCase().includes(text.trim().toLowerCase()));
}

function toggled(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(id)) next.add(id);
  return next;
}
