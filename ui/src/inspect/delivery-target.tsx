import type { ReactNode } from 'react';
import { Button } from '../kit/button.js';
import { Switch } from '../kit/field.js';
import { Menu, MenuItem } from '../kit/menu.js';
import { Badge, CopyButton } from '../kit/misc.js';
import type { Delivery } from './delivery-row.js';
import styles from './control.module.css';

export interface Rule {
  id: string;
  on: { target?: string };
  do: { type: string };
}

const RULES: readonly (readonly [string, Record<string, unknown>, number | null])[] = [
  ['Hold new deliveries', { type: 'hold' }, null],
  ['Drop the next one', { type: 'drop' }, 1],
  ['Send the next one twice', { type: 'duplicate', copies: 2, gap_ms: 0 }, 1],
  ['Delay by 5 s', { type: 'delay', ms: 5_000 }, null],
  ['Sign the next one wrongly', { type: 'bad_signature' }, 1],
];

interface TargetProps {
  readonly target: Delivery['target'];
  readonly app: string | undefined;
  readonly deliveries: readonly Delivery[];
  readonly rules: readonly Rule[];
  readonly onRule: (what: Record<string, unknown>, times: number | null) => void;
  readonly onRemove: (id: string) => void;
}

/** One target: how its newest attempts went, retries among them, and the rules for what is sent there. */
export function DeliveryTarget({ target, app, deliveries, rules, onRule, onRemove }: TargetProps): ReactNode {
  const hold = rules.find((rule) => rule.do.type === 'hold');
  const attempts = deliveries.flatMap((delivery) => delivery.attempts.toReversed()).slice(0, 50);
  const good = attempts.filter(({ error }) => !error).length;
  return (
    <div className={styles.target}>
      <span className={styles.targetName}>
        <strong>{app ?? target.kind.replaceAll('_', ' ')}</strong> <code>{target.url ?? target.id}</code>{' '}
        <CopyButton label="Copy the target’s id" text={target.id} />
        {target.enabled === false && <Badge tone="bad">disabled after failures</Badge>}
      </span>
      {attempts.length > 0 && (
        <span
          className={styles.health}
          aria-label={`${good} of the last ${attempts.length} attempts succeeded`}
          role="img"
        >
          {attempts.toReversed().map(({ error }, place) => (
            <span key={place} className={error ? styles.bad : styles.good} />
          ))}
          <span className={styles.share}>{Math.round((good / attempts.length) * 100)} %</span>
        </span>
      )}
      <Switch
        isSelected={hold !== undefined}
        onChange={(on) => (on ? onRule({ type: 'hold' }, null) : hold && onRemove(hold.id))}
      >
        Hold new deliveries
      </Switch>
      <Menu label="Rules" trigger={<Button size="small">Add rule</Button>}>
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
