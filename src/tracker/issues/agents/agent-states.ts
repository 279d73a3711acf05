import { AgentActivitySignal, AgentActivityType } from './agent-content.js';
import { AgentSessionStatus, type AgentSession } from './agent-session.entity.js';

/** How long the agent of a new session may be silent, and how long a session may be (docs/reference/tracker-agents.md#states). */
export const UNRESPONSIVE_MS = 10_000;
export const STALE_MS = 30 * 60_000;
/** Of a session that its agent was never told of, whose silence means nothing: a moment that no clock reaches. */
export const NEVER = new Date('9999-01-01T00:00:00Z');

const WORKING: readonly string[] = ['pending', 'active', 'stopping'];

/** When a session in this status becomes stale. */
export const staleAfter = (status: string, at: Date): Date | null =>
  WORKING.includes(status) ? new Date(at.getTime() + STALE_MS) : null;

type State = Pick<AgentSession, 'status' | 'startedAt' | 'endedAt'>;
type Change = State & Pick<AgentSession, 'staleAt'>;

const after = (state: State, at: Date): Change => ({ ...state, staleAt: staleAfter(state.status, at) });

/** A session after what its agent has said. */
export function afterActivity({ status, startedAt, endedAt }: State, type: AgentActivityType, at: Date): Change {
  switch (type) {
    case AgentActivityType.response:
      return after({ status: AgentSessionStatus.complete, startedAt, endedAt: at }, at);
    case AgentActivityType.error:
      return after({ status: AgentSessionStatus.error, startedAt, endedAt: at }, at);
    case AgentActivityType.elicitation:
      return after({ status: AgentSessionStatus.awaitingInput, startedAt, endedAt: null }, at);
    default: {
      const isStopping = status === AgentSessionStatus.stopping;
      const next = isStopping ? status : AgentSessionStatus.active;
      return after({ status: next, startedAt: startedAt ?? at, endedAt: isStopping ? endedAt : null }, at);
    }
  }
}

const REOPENED: readonly string[] = ['awaitingInput', 'complete', 'error', 'stale'];
const STOPPED: readonly string[] = ['pending', 'active', 'awaitingInput'];

/** A session after what a person has said. */
export function afterPrompt(
  { status, startedAt, endedAt }: State,
  signal: AgentActivitySignal | null,
  at: Date,
): Change {
  if (signal === AgentActivitySignal.stop) {
    const isHeard = STOPPED.includes(status);
    return after({ status: isHeard ? AgentSessionStatus.stopping : status, startedAt, endedAt }, at);
  }
  if (REOPENED.includes(status)) return after({ status: AgentSessionStatus.pending, startedAt, endedAt: null }, at);
  return after({ status, startedAt, endedAt }, at);
}
