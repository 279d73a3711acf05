import {
  type Call,
  type CallOf,
  callsOf,
  lastReset,
  mayBeReset,
  type SeenMessage,
  type Violation,
} from '../history.js';
import { groupBy } from '../../../src/kernel/group-by.js';
import { possibleValues, type Write } from '../register.js';

/** What is on or off, or has a value: reactions, memberships, tokens, titles of issues. */
export function checkRegisters(calls: readonly Call[]): Violation[] {
  const resets = callsOf(calls, 'reset');
  return [...reactions(calls, resets), ...members(calls, resets), ...tokens(calls, resets), ...issues(calls, resets)];
}

const happened = (writes: readonly Write<boolean>[]): number => Math.min(...writes.map(({ call }) => call.start));

function reactions(calls: readonly Call[], resets: readonly CallOf<'reset'>[]): Violation[] {
  const registers = [
    ...groupBy(callsOf(calls, 'react'), ({ channel, ts, name, user }) => `${channel} ${ts} ${name} ${user}`).values(),
  ].map((all) => {
    const [{ channel, ts, name, user }] = all as [CallOf<'react'>];
    const writes = all.map((call) => ({ call, value: call.isSet }));
    return { all, message: `${channel} ${ts}`, name, user, writes, since: happened(writes) };
  });
  const byMessage = groupBy(registers, ({ message }) => message);
  const violations: Violation[] = [];
  const look = (read: CallOf<'history' | 'replies'>, channel: string, message: SeenMessage): void => {
    if (read.op === 'history' && read.isCopy) return;
    for (const { all, name, user, writes, since } of byMessage.get(`${channel} ${message.ts}`) ?? []) {
      if (mayBeReset(resets, since, read.end)) continue;
      const isThere = message.reactions?.some((one) => one.name === name && one.users.includes(user)) ?? false;
      const possible = possibleValues(writes, read.start, read.end);
      if (possible.has(isThere) || (!isThere && possible.has(undefined))) continue;
      const what = `${name} of ${user} on ${message.ts} is ${isThere ? '' : 'not '}there`;
      violations.push({ kind: 'reaction', what, calls: [...all, read] });
    }
  };
  for (const read of callsOf(calls, 'history', 'replies')) {
    if (read.outcome !== 'ok' || !read.answer) continue;
    const messages = 'pages' in read.answer ? read.answer.pages.flat() : read.answer.messages;
    for (const message of messages) look(read, read.channel, message);
  }
  return violations;
}

/** What a reset makes of something: as it was at first; a snapshot may have had it either way. */
const afterReset = (call: CallOf<'reset'>, first: boolean, isChanged: boolean): Write<boolean>[] =>
  (call.to !== undefined && isChanged ? [true, false] : [first]).map((value) => ({ call, value }));

/** Who is no member reads nothing of a private channel, and who is one does. */
function members(calls: readonly Call[], resets: readonly CallOf<'reset'>[]): Violation[] {
  const changes = groupBy(callsOf(calls, 'member'), ({ channel, user }) => `${channel} ${user}`);
  return callsOf(calls, 'peek').flatMap((peek) => {
    if (peek.outcome === 'unknown' || isTokenError(peek)) return [];
    const own = changes.get(`${peek.channel} ${peek.user}`) ?? [];
    // nobody is a member of it at first, nor after a reset
    const writes: Write<boolean>[] = [
      ...own.map((call) => ({ call, value: call.isSet })),
      ...resets.flatMap((call) => afterReset(call, false, own.length > 0)),
    ];
    const mayRead = peek.outcome === 'ok';
    const possible = possibleValues(writes, peek.start, peek.end);
    if (possible.has(mayRead) || (!mayRead && possible.has(undefined))) return [];
    const what = `${peek.user} could ${mayRead ? '' : 'not '}read ${peek.channel}`;
    return [{ kind: 'membership', what, calls: [...writes.map(({ call }) => call), peek] }];
  });
}

const TOKEN_ERRORS = new Set(['token_revoked', 'invalid_auth', 'account_inactive', 'not_authed']);
const isTokenError = ({ error }: Call): boolean => TOKEN_ERRORS.has(error ?? '');

/** A token that was revoked is refused from then on, until a reset brings it back; and none is before. */
function tokens(calls: readonly Call[], resets: readonly CallOf<'reset'>[]): Violation[] {
  const revoked = groupBy(callsOf(calls, 'revoke'), ({ token }) => token);
  return calls.flatMap((call) => {
    if (!('token' in call) || call.op === 'revoke' || call.outcome === 'unknown') return [];
    const own = revoked.get(call.token) ?? [];
    const writes: Write<boolean>[] = [
      ...own.map((end) => ({ call: end as Call, value: false })),
      ...resets.flatMap((reset) => afterReset(reset, true, own.length > 0)),
    ];
    const isRefused = isTokenError(call);
    const possible = possibleValues(writes, call.start, call.end);
    if (isRefused ? possible.has(false) : possible.has(true) || possible.has(undefined)) return [];
    return [
      isRefused
        ? { kind: 'good token', what: `${call.op} was ${call.error}`, calls: [call] }
        : {
            kind: 'revoked token',
            what: `${call.op} was answered`,
            calls: [...writes.map((write) => write.call), call],
          },
    ];
  });
}

function issues(calls: readonly Call[], resets: readonly CallOf<'reset'>[]): Violation[] {
  const created = callsOf(calls, 'issueCreate');
  const updates = groupBy(callsOf(calls, 'issueUpdate'), ({ issue }) => issue);
  const titles = new Map(callsOf(calls, 'issueCreate', 'issueUpdate').map((call) => [call.title, call]));
  const violations: Violation[] = [];
  for (const read of callsOf(calls, 'issues')) {
    if (read.outcome !== 'ok' || !read.answer) continue;
    const resetAt = lastReset(resets, read.end);
    const seen = new Map(read.answer.pages.flat().map((issue) => [issue.id, issue]));
    for (const { title } of seen.values()) {
      const writer = titles.get(title);
      if (!writer) violations.push({ kind: 'invented text', what: title, calls: [read] });
      else if (writer.outcome === 'refused')
        violations.push({ kind: 'refused write', what: title, calls: [writer, read] });
    }
    for (const call of created) {
      if (call.outcome !== 'ok' || !call.answer || call.end >= read.start || call.start <= resetAt) continue;
      const { id, number } = call.answer.issue;
      if (number < (read.from ?? 0)) continue;
      const there = seen.get(id);
      if (!there) {
        violations.push({
          kind: 'lost write',
          what: `${call.title} was acknowledged and is not read`,
          calls: [call, read],
        });
        continue;
      }
      const writes = [call, ...(updates.get(id) ?? [])].map((write) => ({ call: write as Call, value: write.title }));
      if (possibleValues(writes, read.start, read.end).has(there.title)) continue;
      violations.push({ kind: 'stale read', what: there.title, calls: [...writes.map((write) => write.call), read] });
    }
  }
  return violations;
}
