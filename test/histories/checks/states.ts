import { type Call, type CallOf, callsOf, type SeenMessage, type Violation } from '../history.js';

/** Every read is one state: its counts are those of what it shows, and its pages have neither holes nor doubles. */
export function checkStates(calls: readonly Call[]): Violation[] {
  const violations: Violation[] = [];
  for (const read of callsOf(calls, 'replies')) {
    if (read.outcome === 'ok' && read.answer) violations.push(...thread(read, read.answer.messages));
  }
  for (const read of callsOf(calls, 'history')) {
    if (read.outcome !== 'ok' || !read.answer) continue;
    const messages = read.answer.pages.flat();
    violations.push(...messages.flatMap((message) => reactions(read, message)));
    violations.push(
      ...walk(
        read,
        messages.map(({ ts }) => ts),
      ),
    );
    for (const { ts, replyCount = 0, latestReply } of messages) {
      if (replyCount > 0 !== (latestReply !== undefined)) {
        violations.push({ kind: 'counts', what: `${ts}: ${replyCount} replies, latest ${latestReply}`, calls: [read] });
      }
    }
  }
  for (const read of callsOf(calls, 'issues')) {
    if (read.outcome !== 'ok' || !read.answer) continue;
    const ids = read.answer.pages.flat().map(({ id }) => id);
    if (new Set(ids).size < ids.length) violations.push({ kind: 'double on a page', what: 'issues', calls: [read] });
  }
  return violations;
}

function thread(read: CallOf<'replies'>, messages: readonly SeenMessage[]): Violation[] {
  const [parent, ...replies] = messages;
  if (!parent) return [];
  const said = `${parent.replyCount ?? 0} replies up to ${parent.latestReply ?? 'none'}`;
  const found = `${replies.length} replies up to ${replies.at(-1)?.ts ?? 'none'}`;
  return [
    ...(said === found ? [] : [{ kind: 'counts', what: `the parent says ${said}, there are ${found}`, calls: [read] }]),
    ...messages.flatMap((message) => reactions(read, message)),
    ...walk(read, replies.map(({ ts }) => ts).toReversed()),
  ];
}

const reactions = (read: Call, { ts, reactions: all = [] }: SeenMessage): Violation[] =>
  all
    .filter(({ users, count }) => count !== new Set(users).size || count === 0)
    .map(({ name, users, count }) => ({
      kind: 'counts',
      what: `${ts}: ${name} ${count} of ${users.join()}`,
      calls: [read],
    }));

/** Newest first, each once. */
function walk(read: Call, all: readonly string[]): Violation[] {
  const at = all.findIndex((ts, i) => i > 0 && ts >= (all[i - 1] as string));
  if (at < 0) return [];
  const kind = all.indexOf(all[at] as string) < at ? 'double on a page' : 'pages out of order';
  return [{ kind, what: `${all[at]} after ${all[at - 1]}`, calls: [read] }];
}
