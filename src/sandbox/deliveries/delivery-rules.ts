import { Injectable } from '@nestjs/common';
import { LongWork } from '../../kernel/clock/long-work.js';
import { Db } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { newId, type IdPrefix } from '../../kernel/ids/ids.js';
import { readMatcher } from '../../kernel/matchers/matcher.js';
import { matches } from '../../kernel/matchers/matches.js';
import type { DeliveryGate, GateDecision, GatedDelivery } from '../../webhooks/delivery-gate.js';
import { DeliveryEngine } from '../../webhooks/delivery-engine.js';
import { NamedThings } from '../access/named-things.js';
import { oneByOne } from '../access/one-by-one.js';
import { DELETE_RULES, HELD_BY, INSERT_RULE, RULES, TAKE_RULE, type RuleRow } from './deliveries.queries.js';
import { arranged } from './order.js';
import type { DeliveryRuleBody } from './deliveries.dto.js';
import type { RuleAction, RuleOn } from './rule.js';
import { kindOf } from './target-kinds.js';

const MAX_RULES = 1_000;

/** Rules for deliveries to apps: hold, drop, repeat, sign wrongly … (docs/reference/sandboxes.md#deliveries). */
@Injectable()
export class DeliveryRules implements DeliveryGate {
  constructor(
    private readonly db: Db,
    private readonly engine: DeliveryEngine,
    private readonly named: NamedThings,
  ) {
    engine.guard(this);
  }

  /** @throws RestError 400 unknown_target, unknown_kind, unknown_event; 409 too_many_delivery_rules */
  async create(tenantId: number, rule: DeliveryRuleBody): Promise<object> {
    await this.named.requireDelivery(tenantId, rule.on);
    const [row] = await oneByOne<RuleRow>(this.db, tenantId, INSERT_RULE, [
      newId('Dr' as IdPrefix),
      tenantId,
      JSON.stringify(rule.on),
      JSON.stringify(rule.do),
      rule.times,
      rule.skip,
      MAX_RULES,
    ]);
    if (!row) throw new RestError(409, 'too_many_delivery_rules');
    return shown(row);
  }

  async list(tenantId: number): Promise<object> {
    return { delivery_rules: (await this.db.read<RuleRow>(RULES, [tenantId])).map(shown) };
  }

  /** @throws RestError 404 delivery_rule_not_found */
  async remove(tenantId: number, id: string | null): Promise<void> {
    const gone = await oneByOne(this.db, tenantId, DELETE_RULES, [tenantId, id]);
    if (id !== null && gone.length === 0) throw new RestError(404, 'delivery_rule_not_found');
  }

  /** The oldest matching rule that is not used up applies. */
  async decide(delivery: GatedDelivery): Promise<GateDecision | null> {
    const work = new LongWork();
    for (const rule of await this.db.read<RuleRow>(RULES, [delivery.tenantId])) {
      await work.pause();
      const action = rule.action as unknown as RuleAction;
      if (hasNoMeaning(action, delivery) || !fits(rule.on_delivery, delivery)) continue;
      if (rule.times !== null && rule.fired >= rule.times) continue;
      const [taken] = await this.db.run<{ fires: boolean }>(TAKE_RULE, [rule.id]);
      if (taken?.fires) return decisionOf(rule.id, action);
    }
    return null;
  }

  /** Full windows of a `reorder` are released. */
  async held({ ruleId }: GateDecision, { tenantId }: GatedDelivery): Promise<void> {
    const rule = (await this.db.read<RuleRow>(RULES, [tenantId])).find(({ id }) => id === ruleId);
    const action = rule?.action as unknown as RuleAction | undefined;
    if (action?.type !== 'reorder') return;
    for (;;) {
      const rows = await this.db.read<{ id: number }>(HELD_BY, [tenantId, ruleId]);
      if (rows.length < action.window) return;
      const ids = rows.slice(0, action.window).map(({ id }) => id);
      await this.engine.held.releaseWindow(tenantId, { ruleId, ids }, (all) => arranged(all, action.order));
    }
  }
}

/** Deliveries over a socket are not signed, and what a caller waits for, commands and interactions, is not held. */
function hasNoMeaning({ type }: RuleAction, { product }: GatedDelivery): boolean {
  const kind = kindOf(product);
  if (kind === 'socket') return type === 'bad_signature' || type === 'stale_timestamp';
  return (kind === 'command' || kind === 'interaction') && (type === 'hold' || type === 'reorder');
}

function fits(on: RuleOn, delivery: GatedDelivery): boolean {
  const kind = kindOf(delivery.product);
  const { url } = delivery.target as { url?: string };
  if (on.target !== undefined && on.target !== delivery.targetId && on.target !== url) return false;
  if (on.kind !== undefined && on.kind !== kind) return false;
  if (on.event !== undefined && on.event !== delivery.kind) return false;
  if (on.where === undefined) return true;
  const data: unknown = JSON.parse(delivery.data);
  const entry = {
    kind: 'delivery',
    delivery_id: String(delivery.deliveryId),
    target: { id: delivery.targetId, kind, url },
    attempt: delivery.attempt + 1,
    event: delivery.kind,
    data,
    request: { body: data },
  };
  return matches(readMatcher(on.where), entry);
}

function decisionOf(ruleId: string, action: RuleAction): GateDecision {
  switch (action.type) {
    case 'reorder':
      return { ruleId, type: 'hold' };
    case 'delay':
      return { ruleId, type: 'hold', dueMs: action.ms };
    case 'duplicate':
      return { ruleId, type: 'duplicate', copies: action.copies, gapMs: action.gap_ms };
    default:
      return { ruleId, ...action };
  }
}

const shown = (row: RuleRow): object => ({
  id: row.id,
  on: row.on_delivery,
  do: row.action,
  times: row.times,
  skip: row.skip,
  seen: row.seen,
  fired: row.fired,
  created: Math.floor(row.created_at.getTime() / 1000),
});
