import { useState, type ReactNode } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { rest } from '../api/client.js';
import { useCurrentUser } from '../api/current-user.js';
import { Button } from '../kit/button.js';
import { Switch } from '../kit/field.js';
import { Link } from '../kit/link.js';
import { Badge, Empty, Skeleton } from '../kit/misc.js';
import { say } from '../kit/toasts.js';
import { ago } from '../text/time.js';
import { useTracker, useLookAgain } from './live.js';
import { NewHook } from './new-hook.js';
import { ask, type Nodes, type Team } from './tracker-api.js';
import { complain, refusal } from './words.js';
import styles from './tracker.module.css';
import own from './hooks.module.css';

interface Hook {
  id: string;
  label: string | null;
  url: string | null;
  enabled: boolean;
  resourceTypes: string[];
  team: Team | null;
}

interface Application {
  id: string;
  name: string;
  webhookUrl: string | null;
  webhookEnabled: boolean;
  webhookResourceTypes: string[];
}

interface Delivery {
  id: string;
  event: string;
  state: string;
  wall: string | null;
  target: { id: string; url: string | null };
  attempts: { response?: { status?: number }; error?: string | null }[];
}

/** A webhook of the organization or of an application. */
interface Row {
  id: string;
  name: string;
  url: string | null;
  enabled: boolean;
  types: readonly string[];
  note: string;
  /** The application that it came with. */
  application?: string;
}

const HOOKS = `query { webhooks(first: 250) { nodes { id label url enabled resourceTypes team { id key name } } } }`;

function rowsOf(hooks: readonly Hook[], applications: readonly Application[]): Row[] {
  return hooks.map(({ id, label, url, enabled, resourceTypes, team }) => {
    const own = applications.find(({ webhookUrl, name }) => webhookUrl === url && name === label);
    return {
      id,
      name: label || 'Webhook',
      url,
      enabled,
      types: resourceTypes,
      note: own ? 'application' : team ? `team ${team.key}` : 'all public teams',
      ...(own && { application: own.id }),
    };
  });
}

/** Webhooks of the tracker and of its applications, with what was sent to them. */
export function HooksView(): ReactNode {
  const { team, isAdmin } = useCurrentUser();
  const [isMaking, setMaking] = useState(false);
  const found = useTracker('hooks', [], async () => {
    const [hooks, { applications }] = await Promise.all([
      ask<{ webhooks: Nodes<Hook> }>(HOOKS),
      rest<{ applications: Application[] }>('GET /oauth-applications').catch(() => ({ applications: [] })),
    ]);
    return rowsOf(hooks.webhooks.nodes, applications);
  });
  const sent = useQuery({
    queryKey: ['deliveries', team.id, 'tracker'],
    queryFn: () =>
      rest<{ deliveries: Delivery[] }>(`GET /sandboxes/self/deliveries?order=desc&limit=200&team_id=${team.id}`),
    refetchInterval: 2_000,
    retry: false,
    enabled: isAdmin,
  });
  return (
    <>
      <header className={styles.head}>
        <h1 className={styles.h1}>Webhooks</h1>
        {!isAdmin && <span className={own.soft}>Only admins can make and change webhooks.</span>}
        <Button kind="primary" icon={<Plus size={14} />} isDisabled={!isAdmin} onPress={() => setMaking(true)}>
          New webhook
        </Button>
      </header>
      <div className={styles.body}>
        {found.error && <Empty title={refusal(found.error)} />}
        {found.isPending && <Skeleton />}
        {found.data?.length === 0 && (
          <Empty title="No webhooks yet.">Make one here, or let your app call webhookCreate.</Empty>
        )}
        <ul className={own.hooks} aria-label="Webhooks">
          {(found.data ?? []).map((row) => (
            <HookView
              key={row.id}
              row={row}
              deliveries={(sent.data?.deliveries ?? []).filter(({ target }) => target.id === row.id)}
            />
          ))}
        </ul>
      </div>
      {isMaking && <NewHook onClose={() => setMaking(false)} />}
    </>
  );
}

const statusOf = (delivery: Delivery | undefined): string | undefined => {
  const last = delivery?.attempts.at(-1);
  if (!last) return undefined;
  return last.response?.status === undefined
    ? (last.error ?? 'sent').replaceAll('_', ' ')
    : String(last.response.status);
};

const isBad = ({ state }: Delivery): boolean => state === 'failed' || state === 'retrying';

function HookView({ row, deliveries }: { row: Row; deliveries: readonly Delivery[] }): ReactNode {
  const { team, isAdmin } = useCurrentUser();
  const lookAgain = useLookAgain();
  const client = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const [last] = deliveries;
  const enable = (enabled: boolean): void => {
    const done: Promise<unknown> =
      row.application !== undefined
        ? rest(`PATCH /oauth-applications/${row.application}`, { body: { webhookEnabled: enabled } })
        : ask(
            'mutation ($id: String!, $input: WebhookUpdateInput!) { webhookUpdate(id: $id, input: $input) { success } }',
            {
              id: row.id,
              input: { enabled },
            },
          );
    void done.then(lookAgain, complain);
  };
  const resend = (id: string): void =>
    void rest(`POST /sandboxes/self/deliveries/${id}/redeliver`, { body: {} }).then(async () => {
      say('Sent again.');
      await client.invalidateQueries({ queryKey: ['deliveries'] });
    }, complain);
  const count = deliveries.length;
  return (
    <li className={own.hook}>
      <div className={own.line}>
        <strong className={own.name}>{row.name}</strong>
        <Badge>{row.note}</Badge>
        {last && <Badge tone={isBad(last) ? 'bad' : 'ok'}>last: {statusOf(last) ?? last.state}</Badge>}
        <span className={own.gap} />
        <Switch isSelected={row.enabled} isDisabled={!isAdmin} onChange={enable}>
          {row.enabled ? 'Enabled' : 'Disabled'}
        </Switch>
      </div>
      <code className={own.url}>{row.url ?? 'no URL'}</code>
      <p className={own.types}>{row.types.join(', ')}</p>
      <div className={own.line}>
        <Button size="small" aria-expanded={isOpen} isDisabled={count === 0} onPress={() => setOpen(!isOpen)}>
          {count === 0
            ? 'No deliveries'
            : `${isOpen ? 'Hide' : 'Show'} ${count === 1 ? '1 delivery' : `${count} deliveries`}`}
        </Button>
        {row.application !== undefined && (
          <Link href={`/w/${team.id}/settings/oauth-applications/${row.application}`} className={own.more}>
            Settings of the application
          </Link>
        )}
        <Link href={`/w/${team.id}/deliveries?target=${row.id}`} className={own.more}>
          In the Inspector
        </Link>
      </div>
      {isOpen && (
        <ul className={own.deliveries} aria-label={`Deliveries to ${row.name}`}>
          {deliveries.slice(0, 50).map((delivery) => (
            <li key={delivery.id}>
              <span className={own.event}>{delivery.event}</span>
              <Badge tone={isBad(delivery) ? 'bad' : delivery.state === 'done' ? 'ok' : 'plain'}>
                {statusOf(delivery) ?? delivery.state}
              </Badge>
              <span className={own.soft}>{delivery.wall === null ? '' : ago(new Date(delivery.wall))}</span>
              <Button size="small" aria-label={`Resend ${delivery.event}`} onPress={() => resend(delivery.id)}>
                Resend
              </Button>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}
