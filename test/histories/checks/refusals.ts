import {
  type Call,
  type CallOf,
  callsOf,
  latest,
  mayBeReset,
  mayHaveHappened,
  type Operation,
  type Violation,
} from '../history.js';
import { groupBy } from '../../../src/kernel/group-by.js';
import { possibleValues } from '../register.js';

/** That a token is refused is judged with the tokens (registers.ts). */
const TOKEN_ERRORS = ['token_revoked', 'invalid_auth', 'account_inactive'];

/** What each call may be refused with beside that; a code that is not here is no answer that it can get. */
const CODES: Readonly<Record<Operation['op'], readonly string[]>> = {
  post: ['thread_not_found'],
  edit: ['message_not_found'],
  delete: ['message_not_found'],
  react: ['message_not_found', 'already_reacted', 'no_reaction'],
  history: [],
  replies: ['thread_not_found'],
  search: [],
  // by whoever was invited or removed before, or was no member
  member: ['already_in_channel', 'not_in_channel'],
  peek: ['channel_not_found'],
  revoke: [],
  auth: [],
  issueCreate: [],
  issueUpdate: ['INPUT_ERROR'],
  issues: [],
  snapshot: [],
  reset: [],
  // what is under way is dropped by a reset
  upload: ['not_uploaded', 'file_not_found'],
  files: [],
  streamStart: ['thread_not_found'],
  streamAppend: ['message_not_found', 'message_not_in_streaming_state'],
  streamStop: ['message_not_found', 'message_not_in_streaming_state'],
  streams: ['thread_not_found'],
  timeline: [],
  wait: [],
  limited: ['ratelimited'],
};

const GONE = new Set(['message_not_found', 'thread_not_found', 'INPUT_ERROR']);

/** What is refused has a reason: nothing is called gone that was acknowledged and that nobody took away. */
export function checkRefusals(calls: readonly Call[]): Violation[] {
  const resets = callsOf(calls, 'reset');
  const deletes = groupBy(callsOf(calls, 'delete').filter(mayHaveHappened), ({ channel, ts }) => `${channel} ${ts}`);
  const made = new Map<string, Call>();
  for (const call of callsOf(calls, 'post')) {
    if (call.outcome === 'ok' && call.answer) made.set(`${call.channel} ${call.answer.ts}`, call);
  }
  for (const call of callsOf(calls, 'issueCreate')) {
    if (call.outcome === 'ok' && call.answer) made.set(call.answer.issue.id, call);
  }
  return calls.flatMap((call): Violation[] => {
    if (call.outcome !== 'refused' || TOKEN_ERRORS.includes(call.error ?? '')) return [];
    const { error = 'undefined' } = call;
    const violation = (kind: string): Violation[] => [
      { kind, what: `${call.op} was refused: ${error}`, calls: [call] },
    ];
    if (!CODES[call.op].includes(error)) return violation('refused without a reason');
    const aim = aimOf(call);
    if (!GONE.has(error) || aim === undefined) return [];
    const before = made.get(aim);
    if (!before || before.end >= call.start || mayBeReset(resets, before.start, call.end)) return [];
    const isDeleted = deletes.get(aim)?.some((other) => other !== call && other.start <= call.end) ?? false;
    return isDeleted ? [] : violation('gone without a reason');
  });
}

/** The message, or the issue, that a call is about. */
function aimOf(call: Call): string | undefined {
  if (call.op === 'post' && call.thread !== undefined) return `${call.channel} ${call.thread}`;
  if (call.op === 'issueUpdate') return call.issue;
  const isAboutMessage = call.op === 'edit' || call.op === 'delete' || call.op === 'react' || call.op === 'replies';
  return isAboutMessage ? `${call.channel} ${call.ts}` : undefined;
}

/** Somebody is told that they have reacted already, or have not, only where that was so; and again is no success. */
export function checkAnswersOfReactions(calls: readonly Call[]): Violation[] {
  const resets = callsOf(calls, 'reset');
  const registers = groupBy(
    callsOf(calls, 'react'),
    ({ channel, ts, name, user }) => `${channel} ${ts} ${name} ${user}`,
  );
  return [...registers.values()].flatMap((all) => {
    const since = Math.min(...all.map(({ start }) => start));
    return all.flatMap((call) => {
      if (call.outcome === 'unknown' || mayBeReset(resets, since, latest(call))) return [];
      const was = wasThere(call);
      if (was === undefined) return [];
      const writes = all.filter((other) => other !== call).map((other) => ({ call: other, value: other.isSet }));
      const possible = possibleValues(writes, call.start, call.end);
      if (possible.has(was) || (!was && possible.has(undefined))) return [];
      const what = `${call.name} of ${call.user} on ${call.ts}: ${call.error ?? (call.isSet ? 'added' : 'removed')}`;
      return [{ kind: 'answer of a reaction', what, calls: all }];
    });
  });
}

/** Whether it was there before, as its answer says. */
function wasThere({ outcome, isSet, error }: CallOf<'react'>): boolean | undefined {
  if (outcome === 'ok') return !isSet;
  if (error === 'already_reacted') return true;
  return error === 'no_reaction' ? false : undefined;
}
