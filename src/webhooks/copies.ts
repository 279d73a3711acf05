import type { Db } from '../kernel/database/db.js';
import { LIFE, type DeliveryRow } from './deliveries.queries.js';
import type { GateDecision } from './delivery-gate.js';
import type { DeliveryObserver, Dialect, Rendered } from './dialect.js';
import type { PostAnswer } from './guarded-http.js';
import { observedAttempt } from './observed-attempt.js';

/** What was sent, to which target, in which state of its sandbox. */
interface Sent {
  readonly dialect: Dialect;
  readonly row: DeliveryRow;
  readonly target: unknown;
  readonly rendered: Rendered;
  readonly life: string | undefined;
}

interface DeliveryMeans {
  readonly send: (isObserved: boolean) => Promise<PostAnswer | null>;
  readonly observers: ReadonlySet<DeliveryObserver>;
}

/** Changes with each reset of the sandbox; undefined for a deleted target. */
export async function lifeOf(db: Db, { target_id: targetId }: DeliveryRow): Promise<string | undefined> {
  const [row] = await db.read<{ life: string }>(LIFE, [targetId]);
  return row?.life;
}

/**
 * Duplicates of what was sent, one after the other: observers see each as an attempt, its answer has no effect, and a
 * reset drops waiting ones.
 */
export function repeat(
  db: Db,
  sent: Sent,
  { copies, gapMs, ruleId }: Extract<GateDecision, { type: 'duplicate' }>,
  ways: DeliveryMeans,
): void {
  for (let n = 1; n < copies; n++) {
    setTimeout(() => void copy(db, sent, ruleId, ways).catch(() => undefined), n * gapMs).unref();
  }
}

async function copy(db: Db, sent: Sent, rule: string, { send, observers }: DeliveryMeans): Promise<void> {
  const { dialect, row, target, rendered, life } = sent;
  if (life === undefined || (await lifeOf(db, row)) !== life) return;
  const startedAt = performance.now();
  const seeing = [...observers].filter((observer) => observer.observes(row.tenant_id));
  const answer = await send(seeing.length > 0);
  if (!answer) return;
  const seconds = (performance.now() - startedAt) / 1000;
  const outcome = { id: row.id, targetId: row.target_id };
  const observed = observedAttempt(dialect, row, target, { rendered, answer, seconds, outcome });
  for (const observer of seeing) observer.attempted({ ...observed, rule, isCopy: true });
}
