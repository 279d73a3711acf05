import { Injectable } from '@nestjs/common';
import type { Tx } from '../../kernel/database/db.js';
import { EventLog, queuedFor, type EventEntry, type EventProduct, type Queued } from '../../kernel/events/event-log.js';
import { scopeFor, type ChatFacts } from './define-chat-event.js';
import { PLAN_DELIVERIES } from './delivery-plan.queries.js';

/** The chat product's part of the event log: who receives the events of a transaction. */
@Injectable()
export class DeliveryPlan implements EventProduct {
  readonly product = 'chat';

  constructor(events: EventLog) {
    events.register(this);
  }

  async plan(tx: Tx, events: readonly EventEntry[]): Promise<Queued> {
    const rows = events.flatMap(({ event, recorded }) => {
      const facts = event.facts as ChatFacts | undefined;
      const scope = facts && scopeFor(facts.hears, facts.conversation?.type);
      return facts && scope !== undefined ? [{ id: recorded.id, event, facts, scope }] : [];
    });
    if (rows.length === 0) return false;
    const queued = await tx.query<{ target_id: string }>(PLAN_DELIVERIES, [
      rows.map((row) => row.id),
      rows.map((row) => row.event.tenantId),
      rows.map((row) => row.event.kind),
      rows.map((row) => row.facts.conversation?.id ?? null),
      rows.map((row) => row.facts.conversation?.type ?? null),
      rows.map((row) => row.scope),
      rows.map((row) => row.facts.hears.audience),
      rows.map((row) => row.facts.conversationIds?.join(',') ?? null),
      rows.map((row) => row.facts.subjectId ?? null),
      rows.map((row) => row.facts.appId ?? null),
      rows.map((row) => row.facts.hears.namesByType !== undefined),
    ]);
    return queuedFor(queued.map((row) => row.target_id));
  }
}
