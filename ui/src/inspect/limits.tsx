import { useState, type ReactNode } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { Gauge } from 'lucide-react';
import { rest } from '../api/client.js';
import { wordsFor } from '../api/errors.js';
import { useOwn, useSandbox } from '../api/sandbox.js';
import { Button } from '../kit/button.js';
import { Field } from '../kit/field.js';
import { Menu, MenuItem } from '../kit/menu.js';
import { Empty, Skeleton } from '../kit/misc.js';
import { say } from '../kit/toasts.js';
import { span } from '../text/time.js';
import styles from './control.module.css';

interface Limit {
  key: string;
  app?: string;
  channel?: string;
  used: number;
  limit: number;
  resets_in_ms: number;
}

/** Usage of each rate limit. */
export function Limits(): ReactNode {
  const client = useQueryClient();
  const sandbox = useSandbox();
  const limits = useOwn('limits', '/limits', (answer) => answer['limits'] as Limit[], 2_000);
  const [factor, setFactor] = useState('');
  const attempt = (work: Promise<unknown>, done: string): void =>
    void work.then(
      async () => {
        say(done);
        await client.invalidateQueries();
      },
      (error: unknown) => say(wordsFor(error), { tone: 'bad' }),
    );
  const reset = (which: object): void =>
    attempt(rest('POST /sandboxes/self/limits/reset', { body: { ...which } }), 'The allowance is full again.');
  const all = limits.data ?? [];
  return (
    <div className={styles.page}>
      <div className={styles.bar}>
        <form
          className={styles.factor}
          onSubmit={(event) => {
            event.preventDefault();
            attempt(
              rest('PATCH /sandboxes/self', {
                body: { rate_limit_multiplier: factor === '' ? null : Number(factor) },
              }),
              'Multiplier saved.',
            );
          }}
        >
          <Field
            label="Multiplier (0 turns limits off)"
            placeholder={String(sandbox.data?.rate_limit_multiplier ?? 'the server’s')}
            value={factor}
            onChange={setFactor}
            inputMode="decimal"
          />
          <Button type="submit">Set</Button>
        </form>
        <span className={styles.gap} />
        {all.length > 0 && (
          <Menu label="Reset" trigger={<Button size="small">Reset…</Button>}>
            <MenuItem onAction={() => reset({})}>All allowances</MenuItem>
            {[...new Set(all.flatMap(({ app }) => app ?? []))].map((app) => (
              <MenuItem key={app} onAction={() => reset({ app })}>
                {`Those of ${app}`}
              </MenuItem>
            ))}
          </Menu>
        )}
      </div>
      {limits.isPending && <Skeleton rows={4} />}
      {limits.error && <Empty title={wordsFor(limits.error)} />}
      {limits.data && all.length === 0 && (
        <Empty title="No allowance is in use" icon={<Gauge size={22} />}>
          Methods that were called lately show up here, with what is left of them.
        </Empty>
      )}
      {all.length > 0 && (
        <div className={styles.tableFrame} tabIndex={0} role="region" aria-label="Limits">
          <table className={styles.table}>
            <thead>
              <tr>
                {['Method', 'App', 'Channel', 'Used', 'Refills in', ''].map((title) => (
                  <th key={title} scope="col">
                    {title || <span className="visually-hidden">Actions</span>}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {all.map((limit) => (
                <tr key={`${limit.key}:${limit.app}:${limit.channel}`}>
                  <td>{limit.key}</td>
                  <td>{limit.app ?? ''}</td>
                  <td>{limit.channel ?? ''}</td>
                  <td>
                    <meter
                      min={0}
                      max={limit.limit}
                      value={limit.used}
                      aria-label={`${limit.used} of ${limit.limit}`}
                    />{' '}
                    {limit.used} of {limit.limit}
                  </td>
                  <td>{limit.resets_in_ms > 0 ? span(limit.resets_in_ms / 1000) : ''}</td>
                  <td>
                    <Button
                      size="small"
                      onPress={() =>
                        reset({
                          method: limit.key,
                          ...(limit.app ? { app: limit.app } : {}),
                          ...(limit.channel ? { channel: limit.channel } : {}),
                        })
                      }
                    >
                      Reset
                    </Button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}
