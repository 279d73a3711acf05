import { Injectable } from '@nestjs/common';
import { outside } from '../../kernel/http/call-context.js';
import { RestError } from '../../kernel/http/http-error.js';
import { ProductActs } from '../../kernel/sandbox/product-acts.js';
import type { Identity } from '../access/identity.js';
import { readAnswer } from '../interactions/interaction-calls.js';
import { AppSender, type SentCall } from '../rest/app-sender.js';
import { ActWatch, type ActStart, type ActProgress, type ReportedDelivery } from './act-watch.js';
import { AgentVerbs } from './agent-verbs.js';
import { AppVerbs } from './app-verbs.js';
import { EntityVerbs } from './entity-verbs.js';
import { Fields, readWait, type WaitUntil } from './fields.js';
import { MessageVerbs } from './message-verbs.js';
import { isUnfinished } from './replies.js';
import { StepVerbs } from './step-verbs.js';
import type { VerbResult, Verb, Verbs } from './verbs.js';

type Json = Record<string, unknown>;

/** How long effects are still collected after the awaited one, in milliseconds. */
const AFTERWARDS_MS = 100;

/** Acts whose `until` is a time, a field of their own, and no wait (docs/reference/acting.md#verbs). */
const OWN_UNTIL: ReadonlySet<string> = new Set(['inbox']);

/** Performs a person's action and reports what apps did. */
@Injectable()
export class Acting {
  private readonly verbs: Verbs;

  constructor(
    private readonly sender: AppSender,
    private readonly watch: ActWatch,
    private readonly products: ProductActs,
    messages: MessageVerbs,
    apps: AppVerbs,
    agents: AgentVerbs,
    entities: EntityVerbs,
    steps: StepVerbs,
  ) {
    this.verbs = { ...messages.all, ...apps.all, ...agents.all, ...entities.all, ...steps.all };
  }

  /** @throws RestError 404 for an unknown verb, and the verb's own errors */
  async act(person: Identity, name: string, fields: Fields): Promise<object> {
    const verb = Object.hasOwn(this.verbs, name) ? (this.verbs[name] as Verb) : this.verbOfProduct(name);
    if (!verb) throw new RestError(404, 'not_found');
    const { until: _own, ...others } = fields.sent;
    const { waitMs, until: asked } = readWait(OWN_UNTIL.has(name) ? new Fields(others) : fields);
    const beganAt = performance.now();
    const start = await this.watch.begin(person);
    const sent: SentCall[] = [];
    const acted = await this.sender.collect(sent, () => verb.run(person, fields));
    const until = asked ?? acted.until ?? verb.until;
    // apps may call meanwhile
    const { seen, met } = await outside(() => this.wait(start, acted, { verb, sent, waitMs, until }));
    const last = sent.at(-1);
    return {
      user_id: person.userId,
      result: { ...idsOf(name, last), ...(acted.later ? await acted.later() : acted.result) },
      deliveries: [...sent.map(reportOfCall), ...seen.deliveries],
      replies: seen.replies,
      response: last?.reply ? readAnswer(last.reply.text) : null,
      waited_ms: Math.round(performance.now() - beganAt),
      timed_out: !met,
    };
  }

  /** What another product does: it answers with what it did. */
  private verbOfProduct(name: string): Verb | undefined {
    const act = this.products.find(name);
    return (
      act && {
        until: 'none',
        isDirect: false,
        run: async ({ tenantId, userId: accountId }, { sent }) => {
          const { result, asksAgent = false, replies } = await act({ tenantId, accountId }, sent);
          return {
            result: { ...result },
            ...(asksAgent && { until: 'reply' as const }),
            ...(replies && { replies }),
            isAnswered: ({ replies: { activities, comments } }) =>
              activities.some(({ type }) => ANSWERS.includes(type)) || (!asksAgent && comments.length > 0),
          };
        },
      }
    );
  }

  /** Waits for the requested effect and a little longer, or until the time is up. */
  private async wait(
    start: ActStart,
    acted: VerbResult,
    { verb, sent, waitMs, until }: { verb: Verb; sent: readonly SentCall[]; waitMs: number; until: WaitUntil },
  ): Promise<{ seen: ActProgress; met: boolean }> {
    const end = performance.now() + waitMs;
    if (until === 'none') return { seen: await this.watch.look(start, acted, new Map()), met: true };
    const isAnswered = sent.every(({ delivery }) => delivery.outcome === 'acked' || delivery.statusCode !== null);
    const hasAnswer = acted.isAnswered ?? hasReply;
    const isOver = async (seen: ActProgress): Promise<boolean> => {
      if (verb.isDirect && until === 'ack') return true;
      const isAcked = verb.isDirect || seen.deliveries.every((delivery) => delivery.outcome !== 'pending');
      if (!isAcked) return false;
      if (until === 'activity') return seen.replies.activities.length > 0;
      return until === 'ack' || (await hasAnswer(seen));
    };
    const first = await this.watch.until(start, acted, end, isOver);
    if (!first.met) return first;
    const afterwards = performance.now() + AFTERWARDS_MS;
    const { seen } = await this.watch.until(start, acted, afterwards, () => false);
    return { seen, met: isAnswered };
  }
}

/** What ends the turn of an agent in the tracker. */
const ANSWERS: readonly string[] = ['elicitation', 'response', 'error'];

const hasReply = ({ replies }: ActProgress): boolean =>
  Object.values(replies).some((list) => list.some((reply: Json) => !isUnfinished(reply)));

const reportOfCall = ({ delivery }: SentCall): ReportedDelivery => ({
  app_id: delivery.appId,
  kind: delivery.kind,
  transport: delivery.transport,
  outcome: delivery.outcome,
  status_code: delivery.statusCode,
  ms: delivery.ms,
  ...(delivery.error !== undefined && { error: delivery.error }),
});

/** The parts of the request to the app that a verb's result repeats. */
const IDS: Readonly<Record<string, readonly string[]>> = {
  command: ['trigger_id', 'response_url'],
  click: ['trigger_id', 'response_url'],
  shortcut: ['trigger_id'],
};

function idsOf(verb: string, last: SentCall | undefined): Json {
  const payload = last?.call.payload ?? {};
  const ids = Object.fromEntries((IDS[verb] ?? []).flatMap((key) => (payload[key] ? [[key, payload[key]]] : [])));
  return { ...(verb === 'command' && last?.call.commandId && { command_id: last.call.commandId }), ...ids };
}
