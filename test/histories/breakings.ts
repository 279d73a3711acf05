import {
  type Call,
  type CallOf,
  callsOf,
  type Delivery,
  type History,
  mayBeReset,
  type SeenEntry,
  type SeenFile,
  type SeenMessage,
  type SeenStream,
  type SocketLog,
} from './history.js';
import { groupBy } from '../../src/kernel/group-by.js';

/** A way in which a server may break a promise, done to a good history. */
export interface Breaking {
  readonly what: string;
  /** The kind of violation that tells of it. */
  readonly kind: string;
  /** Null: this history has no place for it. */
  readonly break: (history: History) => History | null;
}

type Read = CallOf<'history'>;
type Thread = CallOf<'replies'>;

const ok = <C extends Call>(calls: readonly C[]): C[] => calls.filter(({ outcome }) => outcome === 'ok');
const replaced = (history: History, old: Call, made: object): History => ({
  ...history,
  calls: history.calls.map((call) => (call === old ? ({ ...call, ...made } as Call) : call)),
});
const hasResets = (history: History, tenant: string): boolean =>
  callsOf(history.calls, 'reset').some((call) => call.tenant === tenant);

/** Breaks the first one that can be. */
function first<C>(all: readonly C[], change: (one: C) => History | null): History | null {
  for (const one of all) {
    const broken = change(one);
    if (broken) return broken;
  }
  return null;
}

/** Resets to how the tenant was made, of tenants that never go back to a snapshot. */
const resetsToStart = (history: History): CallOf<'reset'>[] => {
  const all = callsOf(history.calls, 'reset');
  return ok(all).filter(({ tenant }) => !all.some((other) => other.tenant === tenant && other.to !== undefined));
};

/** The calls after which their tenant is never reset. */
function lasting<C extends Call>(history: History, calls: readonly C[]): C[] {
  const resets = callsOf(history.calls, 'reset');
  return ok(calls).filter(
    (call) =>
      !resets.some(
        ({ tenant, end, outcome }) => tenant === call.tenant && (outcome === 'unknown' || end >= call.start),
      ),
  );
}

/** Changes the messages that a read of a channel showed. */
function inRead(
  history: History,
  change: (messages: readonly SeenMessage[], read: Read) => readonly SeenMessage[] | null,
): History | null {
  return first(ok(callsOf(history.calls, 'history')).toReversed(), (read) => {
    const made = change(read.answer?.pages.flat() ?? [], read);
    return made && replaced(history, read, { answer: { ...read.answer, pages: [made] } });
  });
}

function inThread(
  history: History,
  change: (messages: readonly SeenMessage[], read: Thread) => readonly SeenMessage[] | null,
): History | null {
  return first(ok(callsOf(history.calls, 'replies')).toReversed(), (read) => {
    const made = change(read.answer?.messages ?? [], read);
    return made && replaced(history, read, { answer: { messages: made } });
  });
}

const before = (history: History, read: Call): readonly Call[] =>
  history.calls.filter(({ start }) => start <= read.end);

/** Changes what a read showed after a reset to a snapshot, when that was the last one before it. */
function afterGoingBack(
  history: History,
  change: (
    messages: readonly SeenMessage[],
    at: { snapshot: CallOf<'snapshot'>; reset: CallOf<'reset'>; read: Read },
  ) => readonly SeenMessage[] | null,
): History | null {
  return inRead(history, (messages, read) => {
    const resets = callsOf(before(history, read), 'reset').filter(({ tenant }) => tenant === read.tenant);
    const reset = resets.findLast(({ end, to }) => to !== undefined && end < read.start);
    const isAlone = resets.every(
      (other) => other === reset || (other.outcome === 'ok' && other.end < (reset?.start ?? 0)),
    );
    const snapshot = ok(callsOf(history.calls, 'snapshot')).find(({ name }) => name === reset?.to);
    if (reset?.outcome !== 'ok' || !isAlone || !snapshot || snapshot.end >= reset.start) return null;
    return change(messages, { snapshot, reset, read });
  });
}

function inFiles(
  history: History,
  change: (files: readonly SeenFile[], read: CallOf<'files'>) => readonly SeenFile[] | null,
): History | null {
  return first(ok(callsOf(history.calls, 'files')).toReversed(), (read) => {
    const files = change(read.answer?.files ?? [], read);
    return files && replaced(history, read, { answer: { files } });
  });
}

/** Changes one of the streams that a read showed. */
function inStream(
  history: History,
  change: (words: readonly string[], read: CallOf<'streams'>, all: readonly SeenStream[]) => readonly string[] | null,
): History | null {
  return first(lasting(history, callsOf(history.calls, 'streams')).toReversed(), (read) => {
    const { streams = [] } = read.answer ?? {};
    return first([...streams.entries()], ([at, stream]) => {
      const words = change(stream.words, read, streams);
      return words && replaced(history, read, { answer: { streams: streams.with(at, { ...stream, words }) } });
    });
  });
}

/** What wrote the words of streams, by word. */
const writersIn = (history: History): ReadonlyMap<string, Call> =>
  new Map(callsOf(history.calls, 'streamStart', 'streamAppend', 'streamStop').map((call) => [call.text, call]));

/** One message of a read becomes another one. */
function inMessage(history: History, change: (message: SeenMessage, read: Read) => SeenMessage | null): History | null {
  return inRead(history, (messages, read) => {
    for (const [at, message] of messages.entries()) {
      const made = change(message, read);
      if (made) return messages.with(at, made);
    }
    return null;
  });
}

/** The write of a text; only one that ended long before the read. */
const writerOf = (history: History, text: string): Call | undefined =>
  callsOf(history.calls, 'post', 'edit').find((call) => call.text === text);

const onSocket = (history: History, change: (socket: SocketLog) => SocketLog | null): History | null =>
  first(
    history.sockets.filter(({ tenant }) => !hasResets(history, tenant)),
    (socket) => {
      const made = change(socket);
      return made && { ...history, sockets: history.sockets.map((one) => (one === socket ? made : one)) };
    },
  );

const inDeliveries = (
  history: History,
  change: (all: readonly Delivery[]) => readonly Delivery[] | null,
): History | null => {
  const deliveries = change(history.deliveries.filter(({ tenant }) => !hasResets(history, tenant)));
  return deliveries && { ...history, deliveries };
};

/** Changes what a read of the timeline showed, newest first, of a tenant that is never reset. */
function inTimeline(
  history: History,
  change: (entries: readonly SeenEntry[], read: CallOf<'timeline'>) => readonly SeenEntry[] | null,
  others: object = {},
): History | null {
  const reads = ok(callsOf(history.calls, 'timeline')).filter(({ tenant }) => !hasResets(history, tenant));
  return first(reads.toReversed(), (read) => {
    const entries = change(read.answer?.entries ?? [], read);
    return entries && replaced(history, read, { ...others, answer: { ...read.answer, entries } });
  });
}

/** Where an entry of this kind is, of a post that was answered before the read; not the oldest of its channel. */
const placeIn = (history: History, entries: readonly SeenEntry[], read: Call, kind: SeenEntry['kind']): number =>
  entries.findIndex(
    (entry) =>
      entry.kind === kind &&
      settled(history, read, entry.text) &&
      entries.some((older) => older.kind === 'event' && older.channel === entry.channel && older.ts < entry.ts),
  );

/** A wait for a message, and its post. */
function inWait(
  history: History,
  change: (wait: CallOf<'wait'>, post: CallOf<'post'> | undefined) => object | null,
): History | null {
  const waits = ok(callsOf(history.calls, 'wait')).filter(({ tenant }) => !hasResets(history, tenant));
  return first(waits, (wait) => {
    const post = ok(callsOf(history.calls, 'post')).find(({ text }) => text === wait.text);
    const made = change(wait, post);
    return made && replaced(history, wait, made);
  });
}

/** Reactions of one person with one emoji on one message, of tenants that are never reset. */
const reactionsIn = (history: History): CallOf<'react'>[][] => [
  ...groupBy(
    callsOf(history.calls, 'react').filter(({ tenant }) => !hasResets(history, tenant)),
    ({ channel, ts, name, user }) => `${channel} ${ts} ${name} ${user}`,
  ).values(),
];

const settled = (history: History, read: Call, text: string): boolean => {
  const writer = writerOf(history, text);
  return writer?.outcome === 'ok' && writer.end < read.start;
};

export const BREAKINGS: readonly Breaking[] = [
  {
    what: 'an acknowledged message is missing in a later read',
    kind: 'lost write',
    break: (history) =>
      inRead(history, (messages, read) => {
        const at = messages.findIndex(({ text }) => settled(history, read, text));
        return at < 0 || hasResets(history, read.tenant) ? null : messages.toSpliced(at, 1);
      }),
  },
  {
    what: 'an acknowledged reply is missing in its thread',
    kind: 'lost write',
    break: (history) =>
      inThread(history, ([parent, ...replies], read) => {
        const at = replies.findIndex(({ text }) => settled(history, read, text));
        if (at < 0 || !parent || hasResets(history, read.tenant)) return null;
        const left = replies.toSpliced(at, 1);
        const latest = left.at(-1)?.ts;
        return [{ ...parent, replyCount: left.length, ...(latest !== undefined && { latestReply: latest }) }, ...left];
      }),
  },
  {
    what: 'all messages are gone',
    kind: 'lost write',
    break: (history) =>
      inRead(history, (messages, read) =>
        messages.some(({ text }) => settled(history, read, text)) && !hasResets(history, read.tenant) ? [] : null,
      ),
  },
  {
    what: 'an acknowledged issue is missing',
    kind: 'lost write',
    break: (history) =>
      first(ok(callsOf(history.calls, 'issues')).toReversed(), (read) => {
        const all = read.answer?.pages.flat() ?? [];
        const created = lasting(history, callsOf(history.calls, 'issueCreate')).find(({ end }) => end < read.start);
        const left = all.filter(({ id }) => id !== created?.answer?.issue.id);
        return left.length < all.length ? replaced(history, read, { answer: { pages: [left] } }) : null;
      }),
  },
  {
    what: 'a refused post is read',
    kind: 'refused write',
    break: (history) =>
      inMessage(history, ({ text }) => (writerOf(history, text)?.op === 'post' ? ({ text } as SeenMessage) : null)) &&
      first(ok(callsOf(history.calls, 'post')), (post) =>
        ok(callsOf(history.calls, 'history')).some(({ answer }) =>
          answer?.pages.flat().some(({ text }) => text === post.text),
        )
          ? replaced(history, post, { outcome: 'refused', error: 'internal_error' })
          : null,
      ),
  },
  {
    what: 'a refused edit is read',
    kind: 'refused write',
    break: (history) =>
      first(ok(callsOf(history.calls, 'edit')), (edit) =>
        ok(callsOf(history.calls, 'history')).some(({ answer }) =>
          answer?.pages.flat().some(({ text }) => text === edit.text),
        )
          ? replaced(history, edit, { outcome: 'refused', error: 'ratelimited' })
          : null,
      ),
  },
  {
    what: 'a refused issue is read',
    kind: 'refused write',
    break: (history) =>
      first(ok(callsOf(history.calls, 'issueCreate')), (created) =>
        ok(callsOf(history.calls, 'issues')).some(({ answer }) =>
          answer?.pages.flat().some(({ title }) => title === created.title),
        )
          ? replaced(history, created, { outcome: 'refused', error: 'RATELIMITED' })
          : null,
      ),
  },
  {
    what: 'a refused post is delivered',
    kind: 'refused write',
    break: (history) =>
      first(ok(callsOf(history.calls, 'post')).toReversed(), (post) =>
        replaced(history, post, { outcome: 'refused', error: 'internal_error', answer: undefined }),
      ),
  },
  {
    what: 'a text that nobody wrote is read',
    kind: 'invented text',
    break: (history) =>
      inMessage(history, (message, { tenant }) => ({ ...message, text: `${tenant} nobody wrote it` })),
  },
  {
    what: 'a text that nobody wrote is heard by a socket',
    kind: 'invented text',
    break: (history) =>
      first(history.sockets, (socket) => ({
        ...history,
        sockets: [
          ...history.sockets.filter((one) => one !== socket),
          { ...socket, heard: [...socket.heard, { channel: 'a', ts: '9.9', text: `${socket.tenant} nobody`, at: 1 }] },
        ],
      })),
  },
  {
    what: 'a text that nobody wrote is delivered',
    kind: 'invented text',
    break: (history) =>
      first(history.deliveries, (one) => ({
        ...history,
        deliveries: [...history.deliveries, { ...one, eventId: 'EvX', text: `${one.tenant} nobody wrote it` }],
      })),
  },
  {
    what: 'an issue has a title that nobody gave it',
    kind: 'invented text',
    break: (history) =>
      first(ok(callsOf(history.calls, 'issues')), (read) => {
        const [issue, ...others] = read.answer?.pages.flat() ?? [];
        return issue
          ? replaced(history, read, { answer: { pages: [[{ ...issue, title: `${read.tenant} nobody` }, ...others]] } })
          : null;
      }),
  },
  {
    what: 'a message is read before it was posted',
    kind: 'read before written',
    break: (history) =>
      inMessage(history, (message, read) => {
        const later = callsOf(history.calls, 'post').find(
          ({ tenant, start, outcome }) => tenant === read.tenant && start > read.end && outcome === 'ok',
        );
        return later ? { ...message, text: later.text } : null;
      }),
  },
  {
    what: 'an old text is read after an edit was acknowledged',
    kind: 'stale read',
    break: (history) =>
      inMessage(history, (message, read) => {
        const edit = ok(callsOf(history.calls, 'edit')).find(({ text }) => text === message.text);
        const post = ok(callsOf(history.calls, 'post')).find(
          ({ answer, channel }) => answer?.ts === message.ts && channel === read.channel,
        );
        if (!edit || !post || edit.end >= read.start || hasResets(history, read.tenant)) return null;
        return edit.start > post.end ? { ...message, text: post.text } : null;
      }),
  },
  {
    what: 'an edit is read before it was asked for',
    kind: 'read before written',
    break: (history) =>
      inMessage(history, (message, read) => {
        const edit = callsOf(history.calls, 'edit').find(
          ({ ts, channel, start, tenant, outcome }) =>
            ts === message.ts &&
            channel === read.channel &&
            tenant === read.tenant &&
            start > read.end &&
            outcome !== 'refused',
        );
        return edit ? { ...message, text: edit.text } : null;
      }),
  },
  {
    what: 'an issue shows an old title after an update was acknowledged',
    kind: 'stale read',
    break: (history) =>
      first(lasting(history, callsOf(history.calls, 'issueUpdate')), (update) =>
        first(ok(callsOf(history.calls, 'issues')), (read) => {
          if (read.tenant !== update.tenant || read.start <= update.end) return null;
          const created = lasting(history, callsOf(history.calls, 'issueCreate')).find(
            ({ answer }) => answer?.issue.id === update.issue,
          );
          const all = read.answer?.pages.flat() ?? [];
          if (!created || created.end >= update.start || !all.some(({ id }) => id === update.issue)) return null;
          const old = all.map((issue) => (issue.id === update.issue ? { ...issue, title: created.title } : issue));
          return replaced(history, read, { answer: { pages: [old] } });
        }),
      ),
  },
  {
    what: 'a deleted message is read',
    kind: 'deleted but read',
    break: (history) =>
      first(lasting(history, callsOf(history.calls, 'delete')), (deleted) =>
        inRead(history, (messages, read) => {
          const post = ok(callsOf(history.calls, 'post')).find(
            ({ answer, thread, tenant }) => answer?.ts === deleted.ts && thread === undefined && tenant === read.tenant,
          );
          if (read.tenant !== deleted.tenant || read.channel !== deleted.channel || read.start <= deleted.end || !post)
            return null;
          return [...messages, { ts: deleted.ts, text: post.text }].toSorted((a, b) => (a.ts < b.ts ? 1 : -1));
        }),
      ),
  },
  {
    what: 'a message of a call without an answer is read, and later not any more',
    kind: 'seen and gone',
    break: (history) =>
      inRead(history, (messages, read) => {
        if (hasResets(history, read.tenant)) return null;
        const before = ok(callsOf(history.calls, 'history')).find(
          ({ channel, tenant, end, answer }) =>
            channel === read.channel &&
            tenant === read.tenant &&
            end < read.start &&
            (answer?.pages.flat().length ?? 0) > 0,
        );
        const seen = before?.answer?.pages.flat()[0];
        return seen && messages.some(({ ts }) => ts === seen.ts) ? messages.filter(({ ts }) => ts !== seen.ts) : null;
      }),
  },
  {
    what: 'a reaction that was taken back is there again',
    kind: 'reaction',
    break: (history) =>
      inMessage(history, (message, read) => {
        const removed = lasting(history, callsOf(history.calls, 'react')).findLast(
          ({ ts, channel, tenant, end, isSet }) =>
            !isSet && ts === message.ts && channel === read.channel && tenant === read.tenant && end < read.start,
        );
        const isThere = message.reactions?.some(
          ({ name, users }) => name === removed?.name && users.includes(removed.user),
        );
        if (!removed || isThere !== false) return null;
        const others = message.reactions?.filter(({ name }) => name !== removed.name) ?? [];
        return { ...message, reactions: [...others, { name: removed.name, users: [removed.user], count: 1 }] };
      }),
  },
  {
    what: 'an acknowledged reaction is not there',
    kind: 'reaction',
    break: (history) =>
      inMessage(history, (message, read) => {
        const isAcknowledged = lasting(history, callsOf(history.calls, 'react')).some(
          ({ ts, channel, tenant, end, isSet }) =>
            isSet && ts === message.ts && channel === read.channel && tenant === read.tenant && end < read.start,
        );
        return isAcknowledged && (message.reactions?.length ?? 0) > 0 ? { ...message, reactions: [] } : null;
      }),
  },
  {
    what: 'a count of reactions is not that of its people',
    kind: 'counts',
    break: (history) =>
      inMessage(history, (message) => {
        const [one, ...others] = message.reactions ?? [];
        return one ? { ...message, reactions: [{ ...one, count: one.count + 1 }, ...others] } : null;
      }),
  },
  {
    what: 'a reaction without anybody is shown',
    kind: 'counts',
    break: (history) =>
      inMessage(history, (message) => ({ ...message, reactions: [{ name: 'eyes', users: [], count: 0 }] })),
  },
  {
    what: 'a parent counts more replies than there are',
    kind: 'counts',
    break: (history) =>
      inThread(history, ([parent, ...replies]) =>
        parent && replies.length > 0 ? [{ ...parent, replyCount: replies.length + 1 }, ...replies] : null,
      ),
  },
  {
    what: 'a parent counts replies where none are',
    kind: 'counts',
    break: (history) => inThread(history, ([parent, ...replies]) => (parent && replies.length > 0 ? [parent] : null)),
  },
  {
    what: 'the latest reply of a parent is not the last one',
    kind: 'counts',
    break: (history) =>
      inThread(history, ([parent, ...replies]) =>
        parent && replies.length > 1 ? [{ ...parent, latestReply: replies[0]?.ts as string }, ...replies] : null,
      ),
  },
  {
    what: 'a channel shows a count of replies without a latest one',
    kind: 'counts',
    break: (history) =>
      inMessage(history, ({ latestReply, ...message }) => (latestReply === undefined ? null : message)),
  },
  {
    what: 'a message stands on two pages',
    kind: 'double on a page',
    break: (history) =>
      inRead(history, (messages) => (messages.length > 2 ? [...messages, messages[1] as SeenMessage] : null)),
  },
  {
    what: 'a reply stands twice in its thread',
    kind: 'double on a page',
    break: (history) =>
      inThread(history, ([parent, ...replies]) =>
        parent && replies.length > 0
          ? [{ ...parent, replyCount: replies.length + 1 }, ...replies, replies.at(-1) as SeenMessage]
          : null,
      ),
  },
  {
    what: 'an issue stands on two pages',
    kind: 'double on a page',
    break: (history) =>
      first(ok(callsOf(history.calls, 'issues')), (read) => {
        const all = read.answer?.pages.flat() ?? [];
        return all[0] ? replaced(history, read, { answer: { pages: [all, [all[0]]] } }) : null;
      }),
  },
  {
    what: 'pages are not in order',
    kind: 'pages out of order',
    break: (history) => inRead(history, (messages) => (messages.length > 1 ? messages.toReversed() : null)),
  },
  {
    what: 'two messages have one ts',
    kind: 'ts twice',
    break: (history) => {
      const [one, other] = lasting(history, callsOf(history.calls, 'post')).filter(
        ({ channel, tenant }, _, [a]) => channel === a?.channel && tenant === a.tenant,
      );
      return one && other ? replaced(history, other, { answer: one.answer }) : null;
    },
  },
  {
    what: 'a later message has a smaller ts',
    kind: 'ts out of order',
    break: (history) =>
      first(lasting(history, callsOf(history.calls, 'post')), (one) =>
        first(lasting(history, callsOf(history.calls, 'post')), (later) =>
          later.tenant === one.tenant && later.channel === one.channel && later.start > one.end
            ? replaced(history, later, { answer: { ts: '0000.000001' } })
            : null,
        ),
      ),
  },
  {
    what: 'two issues have one number',
    kind: 'issue number twice',
    break: (history) => {
      const [one, other] = lasting(history, callsOf(history.calls, 'issueCreate')).filter(
        ({ tenant }, _, [a]) => tenant === a?.tenant,
      );
      if (!one?.answer || !other?.answer) return null;
      const { issue, syncId } = other.answer;
      return replaced(history, other, { answer: { issue: { ...issue, number: one.answer.issue.number }, syncId } });
    },
  },
  {
    what: 'a later issue has a smaller number',
    kind: 'issue number out of order',
    break: (history) =>
      first(lasting(history, callsOf(history.calls, 'issueCreate')), (one) =>
        first(lasting(history, callsOf(history.calls, 'issueCreate')), (later) => {
          if (later.tenant !== one.tenant || later.start <= one.end || !later.answer) return null;
          const { issue, syncId } = later.answer;
          return replaced(history, later, { answer: { issue: { ...issue, number: 0 }, syncId } });
        }),
      ),
  },
  {
    what: 'a sync id goes back',
    kind: 'sync id out of order',
    break: (history) =>
      first(ok(callsOf(history.calls, 'issueUpdate')).toReversed(), (update) =>
        callsOf(history.calls, 'issueCreate').some(
          ({ tenant, end, outcome }) => outcome === 'ok' && tenant === update.tenant && end < update.start,
        )
          ? replaced(history, update, { answer: { syncId: 0 } })
          : null,
      ),
  },
  {
    what: 'two changes have one sync id',
    kind: 'sync id twice',
    break: (history) => {
      const [one, other] = ok(callsOf(history.calls, 'issueUpdate')).filter(
        ({ tenant }, _, [a]) => tenant === a?.tenant,
      );
      return one && other ? replaced(history, other, { answer: one.answer }) : null;
    },
  },
  {
    what: 'somebody who was removed reads a private channel',
    kind: 'membership',
    break: (history) =>
      first(
        callsOf(history.calls, 'peek').filter(({ error }) => error === 'channel_not_found'),
        (peek) => {
          const own = callsOf(history.calls, 'member').filter(
            (call) => call.tenant === peek.tenant && call.user === peek.user,
          );
          // nothing of it happened beside the call
          if (own.some(({ outcome, end, start }) => outcome === 'unknown' || (end >= peek.start && start <= peek.end)))
            return null;
          return replaced(history, peek, { outcome: 'ok', error: undefined });
        },
      ),
  },
  {
    what: 'a member cannot read a private channel',
    kind: 'membership',
    break: (history) =>
      first(ok(callsOf(history.calls, 'peek')), (peek) => {
        const own = callsOf(history.calls, 'member').filter(
          (call) => call.tenant === peek.tenant && call.user === peek.user,
        );
        if (
          hasResets(history, peek.tenant) ||
          own.some(({ outcome, end, start }) => outcome === 'unknown' || (end >= peek.start && start <= peek.end))
        )
          return null;
        return replaced(history, peek, { outcome: 'refused', error: 'channel_not_found' });
      }),
  },
  {
    what: 'a revoked token is answered',
    kind: 'revoked token',
    break: (history) =>
      first(lasting(history, callsOf(history.calls, 'revoke')), (revoke) =>
        first(callsOf(history.calls, 'auth'), (call) =>
          call.token === revoke.token && call.start > revoke.end && call.outcome === 'refused'
            ? replaced(history, call, { outcome: 'ok', error: undefined })
            : null,
        ),
      ),
  },
  {
    what: 'a good token is refused',
    kind: 'good token',
    break: (history) =>
      first(ok(callsOf(history.calls, 'auth')), (call) =>
        callsOf(history.calls, 'revoke').some(({ token, start }) => token === call.token && start <= call.end)
          ? null
          : replaced(history, call, { outcome: 'refused', error: 'invalid_auth' }),
      ),
  },
  {
    what: 'a message of before a reset is read after it',
    kind: 'survived a reset',
    break: (history) =>
      first(resetsToStart(history), (reset) =>
        inRead(history, (messages, read) => {
          if (read.tenant !== reset.tenant || read.start <= reset.end) return null;
          const old = ok(callsOf(history.calls, 'post')).find(
            ({ tenant, end, channel, thread }) =>
              tenant === read.tenant && channel === read.channel && thread === undefined && end < reset.start,
          );
          return old ? [...messages, { ts: '0001.000001', text: old.text }] : null;
        }),
      ),
  },
  {
    what: 'a read beside a reset shows a part of what was there',
    kind: 'half a reset',
    break: (history) =>
      first(resetsToStart(history), (reset) => {
        const before = callsOf(history.calls, 'reset').filter(
          (other) => other !== reset && other.tenant === reset.tenant,
        );
        if (before.some(({ outcome, start }) => outcome === 'unknown' || start < reset.start)) return null;
        const deletes = callsOf(history.calls, 'delete').map(({ ts }) => ts);
        const old = ok(callsOf(history.calls, 'post')).filter(
          ({ tenant, end, channel, thread, answer }) =>
            tenant === reset.tenant &&
            channel === 'a' &&
            thread === undefined &&
            end < reset.start &&
            !deletes.includes(answer?.ts ?? ''),
        );
        if (old.length < 2 || !old[0]?.answer) return null;
        const [{ text, answer }] = old as [CallOf<'post'>];
        const read = { op: 'history', channel: 'a', token: 'none', answer: { pages: [[{ ts: answer?.ts, text }]] } };
        const base = { id: 1e6, client: 'x', tenant: reset.tenant, start: reset.start, end: reset.end, outcome: 'ok' };
        return { ...history, calls: [...history.calls, { ...base, ...read } as Call] };
      }),
  },
  {
    what: 'a message of since the snapshot is read after a reset to it',
    kind: 'survived a reset',
    break: (history) =>
      afterGoingBack(history, (messages, { snapshot, reset, read }) => {
        const since = ok(callsOf(history.calls, 'post')).find(
          ({ tenant, channel, thread, start, end }) =>
            tenant === read.tenant &&
            channel === read.channel &&
            thread === undefined &&
            start > snapshot.end &&
            end < reset.start,
        );
        return since ? [...messages, { ts: '0001.000001', text: since.text }] : null;
      }),
  },
  {
    what: 'a message that the snapshot had is missing after a reset to it',
    kind: 'lost by a reset',
    break: (history) =>
      afterGoingBack(history, (messages, { snapshot, reset, read }) => {
        const resets = callsOf(history.calls, 'reset').filter(({ tenant }) => tenant === read.tenant);
        const deletes = callsOf(history.calls, 'delete').filter(({ tenant }) => tenant === read.tenant);
        const kept = ok(callsOf(history.calls, 'post')).find(
          ({ tenant, channel, thread, start, end, answer }) =>
            tenant === read.tenant &&
            channel === read.channel &&
            thread === undefined &&
            end < snapshot.start &&
            messages.some(({ ts }) => ts === answer?.ts) &&
            !mayBeReset(resets, start, snapshot.end) &&
            !deletes.some((call) => call.ts === answer?.ts && (call.start <= snapshot.end || call.end >= reset.start)),
        );
        return kept ? messages.filter(({ ts }) => ts !== kept.answer?.ts) : null;
      }),
  },
  {
    what: 'a copy lacks a message',
    kind: 'lost write',
    break: (history) =>
      first(ok(callsOf(history.calls, 'history')).toReversed(), (read) => {
        const messages = read.answer?.pages.flat() ?? [];
        if (!read.isCopy || hasResets({ ...history, calls: before(history, read) }, read.tenant)) return null;
        const left = messages.filter(({ text }) => !settled(history, read, text));
        return left.length < messages.length ? replaced(history, read, { answer: { pages: [left] } }) : null;
      }),
  },
  {
    what: 'an acknowledged file is not listed',
    kind: 'lost file',
    break: (history) =>
      inFiles(history, (files, read) => {
        const lost = lasting(history, callsOf(history.calls, 'upload')).find(
          ({ tenant, end, title }) =>
            tenant === read.tenant && end < read.start && files.some((file) => file.title === title),
        );
        return lost ? files.filter(({ title }) => title !== lost.title) : null;
      }),
  },
  {
    what: 'the bytes of a file are others',
    kind: 'other bytes',
    break: (history) =>
      inFiles(history, ([newest, ...others]) => (newest ? [{ ...newest, isWhole: false }, ...others] : null)),
  },
  {
    what: 'a refused file is listed',
    kind: 'refused write',
    break: (history) =>
      first(ok(callsOf(history.calls, 'upload')), (upload) =>
        callsOf(history.calls, 'files').some(({ answer }) => answer?.files.some(({ title }) => title === upload.title))
          ? replaced(history, upload, { outcome: 'refused', error: 'ratelimited' })
          : null,
      ),
  },
  {
    what: 'an event is not delivered',
    kind: 'not delivered',
    break: (history) =>
      inDeliveries(history, (all) => {
        const text = all[3]?.text;
        const post = callsOf(history.calls, 'post').find((call) => call.text === text);
        return post?.outcome === 'ok' ? all.filter((one) => one.text !== text) : null;
      }),
  },
  {
    what: 'an event is delivered again after it was accepted',
    kind: 'delivered twice',
    break: (history) =>
      inDeliveries(history, (all) => {
        const one = all.find(({ acceptedAt }) => acceptedAt !== undefined);
        return one ? [...all, { ...one, at: (one.acceptedAt as number) + 10 }] : null;
      }),
  },
  {
    what: 'events are delivered in another order',
    kind: 'delivered out of order',
    break: (history) =>
      inDeliveries(history, (all) => {
        const [one, other] = all.filter(
          ({ channel, target, acceptedAt }) => acceptedAt !== undefined && channel === 'a' && target === all[0]?.target,
        );
        if (!one || !other) return null;
        const swap = (each: Delivery): Delivery =>
          each.eventId === one.eventId
            ? { ...each, at: other.at, acceptedAt: other.at }
            : each.eventId === other.eventId
              ? { ...each, at: one.at, acceptedAt: one.at }
              : each;
        return all.map(swap);
      }),
  },
  {
    what: 'a socket misses a message and hears a later one',
    kind: 'a hole in what a socket heard',
    break: (history) =>
      onSocket(history, (socket) => {
        const at = socket.heard.findIndex(
          ({ text, channel }, i) =>
            callsOf(history.calls, 'post').some((post) => post.text === text && post.outcome === 'ok') &&
            socket.heard.slice(i + 1).some((later) => later.channel === channel),
        );
        return at < 0 ? null : { ...socket, heard: socket.heard.toSpliced(at, 1) };
      }),
  },
  {
    what: 'a socket hears a message twice',
    kind: 'heard twice',
    break: (history) =>
      onSocket(history, (socket) =>
        socket.heard[0] ? { ...socket, heard: [...socket.heard, socket.heard[0]] } : null,
      ),
  },
  {
    what: 'a socket hears messages in another order',
    kind: 'heard out of order',
    break: (history) => onSocket(history, (socket) => ({ ...socket, heard: socket.heard.toReversed() })),
  },
  {
    what: 'a read shows a message of another tenant',
    kind: 'of another tenant',
    break: (history) => inMessage(history, (message) => ({ ...message, text: `other ${message.text}` })),
  },
  {
    what: 'a search finds a message of another tenant',
    kind: 'of another tenant',
    break: (history) =>
      first(ok(callsOf(history.calls, 'search')), (search) =>
        replaced(history, search, { answer: { texts: ['other w1'] } }),
      ),
  },
  {
    what: 'a socket hears a message of another tenant',
    kind: 'of another tenant',
    break: (history) =>
      first(history.sockets, (socket) => ({
        ...history,
        sockets: [{ ...socket, heard: [{ channel: 'a', ts: '1.1', text: 'other w1', at: 1 }] }],
      })),
  },
  {
    what: 'an app is told of another tenant',
    kind: 'of another tenant',
    break: (history) =>
      first(history.deliveries, (one) => ({
        ...history,
        deliveries: [...history.deliveries, { ...one, tenant: 'other' }],
      })),
  },
  {
    what: 'an acknowledged append is not in its stream',
    kind: 'lost write',
    break: (history) => {
      const writers = writersIn(history);
      const resets = callsOf(history.calls, 'reset');
      return inStream(history, (words, read) => {
        const { start = 0 } = writers.get(words[0] as string) ?? {};
        if (resets.some(({ tenant, end }) => tenant === read.tenant && end >= start)) return null;
        const at = words.findLastIndex((word) => {
          const write = writers.get(word);
          return write?.outcome === 'ok' && write.end < read.start;
        });
        return at < 0 ? null : words.toSpliced(at, 1);
      });
    },
  },
  {
    what: 'an append is in its stream twice',
    kind: 'appended twice',
    break: (history) => inStream(history, (words) => [...words, words.at(-1) as string]),
  },
  {
    what: 'appends of a stream change places',
    kind: 'appended out of order',
    break: (history) => {
      const writers = writersIn(history);
      return inStream(history, (words) =>
        words.length > 1 && words.every((word) => writers.get(word)?.outcome === 'ok') ? words.toReversed() : null,
      );
    },
  },
  {
    what: 'a refused append is in its stream',
    kind: 'refused write',
    break: (history) => {
      const writers = writersIn(history);
      return first([...writers.values()], (write) => {
        const isRead = callsOf(history.calls, 'streams').some(
          ({ answer }) => 'text' in write && answer?.streams.some(({ words }) => words.includes(write.text as string)),
        );
        return isRead ? replaced(history, write, { outcome: 'refused', error: 'ratelimited' }) : null;
      });
    },
  },
  {
    what: 'an append is in another stream',
    kind: 'in another stream',
    break: (history) =>
      inStream(history, (words, _, all) => {
        const other = all.find((stream) => stream.words !== words);
        return other ? [...words, other.words[0] as string] : null;
      }),
  },
  {
    what: 'a word that nobody appended is in a stream',
    kind: 'invented text',
    break: (history) => inStream(history, (words) => [...words, 'nobody']),
  },
  {
    what: 'an append is read before it was asked for',
    kind: 'read before it was written',
    break: (history) => {
      const writers = writersIn(history);
      return inStream(history, (words, read) => {
        const later = [...writers.values()].find(({ start, tenant }) => tenant === read.tenant && start > read.end);
        return later && 'text' in later ? [...words, later.text as string] : null;
      });
    },
  },
  {
    what: 'something is appended after the end of a stream',
    kind: 'appended after the end',
    break: (history) =>
      first(ok(callsOf(history.calls, 'streamStop')), (stop) => ({
        ...history,
        calls: [
          ...history.calls,
          { ...stop, id: 2e6, op: 'streamAppend', text: 'late', start: stop.end + 1, end: stop.end + 2 },
        ],
      })),
  },
  {
    what: 'a call is refused with a code that it cannot get',
    kind: 'refused without a reason',
    break: (history) =>
      first(ok(callsOf(history.calls, 'history')), (read) =>
        replaced(history, read, { outcome: 'refused', error: 'channel_not_found', answer: undefined }),
      ),
  },
  {
    what: 'a message that is there is called gone',
    kind: 'gone without a reason',
    break: (history) =>
      first(lasting(history, callsOf(history.calls, 'edit')), (edit) => {
        const isDeleted = callsOf(history.calls, 'delete').some(({ ts }) => ts === edit.ts);
        const post = ok(callsOf(history.calls, 'post')).find(({ answer }) => answer?.ts === edit.ts);
        if (isDeleted || !post || hasResets(history, edit.tenant)) return null;
        return replaced(history, edit, { outcome: 'refused', error: 'message_not_found' });
      }),
  },
  {
    what: 'an issue that is there is called gone',
    kind: 'gone without a reason',
    break: (history) =>
      first(lasting(history, callsOf(history.calls, 'issueUpdate')), (update) => {
        const created = ok(callsOf(history.calls, 'issueCreate')).find(
          ({ answer }) => answer?.issue.id === update.issue,
        );
        if (!created || created.end >= update.start || hasResets(history, update.tenant)) return null;
        return replaced(history, update, { outcome: 'refused', error: 'INPUT_ERROR' });
      }),
  },
  {
    what: 'somebody is told that they have reacted already, and has not',
    kind: 'answer of a reaction',
    break: (history) =>
      first(reactionsIn(history), ([call, next]) =>
        call?.outcome === 'ok' && call.isSet && (!next || next.start > call.end)
          ? replaced(history, call, { outcome: 'refused', error: 'already_reacted' })
          : null,
      ),
  },
  {
    what: 'somebody reacts twice in the same way, and both are acknowledged',
    kind: 'answer of a reaction',
    break: (history) =>
      first(reactionsIn(history), (all) => {
        const [call] = all;
        if (all.length !== 1 || call?.outcome !== 'ok' || !call.isSet) return null;
        const again = { ...call, id: 3e6, start: call.end + 1, end: call.end + 2 };
        return { ...history, calls: [...history.calls, again] };
      }),
  },
  {
    what: 'the event of a post is missing on the timeline',
    kind: 'missing on the timeline',
    break: (history) =>
      inTimeline(history, (entries, read) => {
        const at = placeIn(history, entries, read, 'event');
        return at < 0 ? null : entries.toSpliced(at, 1);
      }),
  },
  {
    what: 'the call of a post is missing on the timeline',
    kind: 'missing on the timeline',
    break: (history) =>
      inTimeline(history, (entries, read) => {
        const at = placeIn(history, entries, read, 'call');
        return at < 0 ? null : entries.toSpliced(at, 1);
      }),
  },
  {
    what: 'a delivery that was accepted is missing on the timeline',
    kind: 'missing on the timeline',
    break: (history) =>
      inTimeline(
        history,
        (entries) => {
          const oldest = entries.findLast(({ kind }) => kind === 'event')?.ts ?? '9';
          const told = history.deliveries.find(
            ({ text, ts, acceptedAt }) =>
              acceptedAt !== undefined && ts > oldest && entries.some((one) => one.text === text),
          );
          return told ? entries.filter(({ kind, text }) => kind !== 'delivery' || text !== told.text) : null;
        },
        { isWhole: true },
      ),
  },
  {
    what: 'the event of a post is on the timeline twice',
    kind: 'twice on the timeline',
    break: (history) =>
      inTimeline(history, (entries) => {
        const event = entries.find(({ kind }) => kind === 'event');
        return event ? [event, ...entries] : null;
      }),
  },
  {
    what: 'the call of a post is on the timeline twice',
    kind: 'twice on the timeline',
    break: (history) =>
      inTimeline(history, (entries) => {
        const call = entries.find(({ kind }) => kind === 'call');
        return call ? [call, ...entries] : null;
      }),
  },
  {
    what: 'the events of a channel are on the timeline in another order',
    kind: 'timeline out of order',
    break: (history) =>
      inTimeline(history, (entries) => {
        const at = entries.findIndex(({ kind }) => kind === 'event');
        const other = entries.findIndex(
          ({ kind, channel }, i) => i > at && kind === 'event' && channel === entries[at]?.channel,
        );
        if (at < 0 || other < 0) return null;
        return entries.with(at, entries[other] as SeenEntry).with(other, entries[at] as SeenEntry);
      }),
  },
  {
    what: 'a call is on the timeline before its event',
    kind: 'call before its event',
    break: (history) =>
      inTimeline(history, (entries) => {
        const at = entries.findIndex(({ kind }) => kind === 'call');
        const event = entries.findIndex(({ kind, text }) => kind === 'event' && text === entries[at]?.text);
        if (at < 0 || event < 0) return null;
        return entries.with(at, entries[event] as SeenEntry).with(event, entries[at] as SeenEntry);
      }),
  },
  {
    what: 'the timeline has another answer of a post',
    kind: 'another answer on the timeline',
    break: (history) =>
      inTimeline(history, (entries, read) => {
        const at = entries.findIndex(({ kind, text }) => kind === 'call' && settled(history, read, text));
        return at < 0 ? null : entries.with(at, { ...(entries[at] as SeenEntry), ts: '1.000001' });
      }),
  },
  {
    what: 'a refused post is on the timeline',
    kind: 'refused write',
    break: (history) =>
      first(ok(callsOf(history.calls, 'timeline')), (read) => {
        const post = ok(callsOf(history.calls, 'post')).find(({ text }) =>
          read.answer?.entries.some((entry) => entry.text === text),
        );
        return post ? replaced(history, post, { outcome: 'refused', error: 'ratelimited', answer: undefined }) : null;
      }),
  },
  {
    what: 'a post that nobody made is on the timeline',
    kind: 'invented text',
    break: (history) =>
      inTimeline(history, ([entry, ...entries], { tenant }) =>
        entry ? [{ ...entry, text: `${tenant} nobody made it` }, ...entries] : null,
      ),
  },
  {
    what: "another tenant's post is on the timeline",
    kind: 'of another tenant',
    break: (history) =>
      inTimeline(history, ([entry, ...entries]) => (entry ? [{ ...entry, text: 'tx w1' }, ...entries] : null)),
  },
  {
    what: 'a wait is answered before the message was posted',
    kind: 'answered before it happened',
    break: (history) =>
      inWait(history, (wait, post) =>
        post && post.start > wait.end ? { answer: { isMatched: true, text: wait.text } } : null,
      ),
  },
  {
    what: 'a wait is answered with another message',
    kind: 'another answer of a wait',
    break: (history) =>
      inWait(history, ({ tenant, answer }) =>
        answer?.isMatched ? { answer: { isMatched: true, text: `${tenant} w0` } } : null,
      ),
  },
  {
    what: 'a wait misses a message that was there',
    kind: 'missed by a wait',
    break: (history) =>
      inWait(history, (wait, post) =>
        post && post.start > wait.since && post.end < wait.start ? { answer: { isMatched: false } } : null,
      ),
  },
  {
    what: 'more calls are let through than an allowance has',
    kind: 'allowance',
    break: (history) => ({ ...history, calls: [...history.calls, ...limited(3, 2, 0)] }),
  },
  {
    what: 'a call is refused while some are left',
    kind: 'allowance',
    break: (history) => ({ ...history, calls: [...history.calls, ...limited(1, 5, 1)] }),
  },
];

/** Calls of which each takes one of an allowance. */
function limited(given: number, limit: number, refused: number): Call[] {
  return Array.from({ length: given + refused }, (_, n) => ({
    op: 'limited',
    method: 'm',
    token: 'k',
    limit,
    windowMs: 60_000,
    id: 1e6 + n,
    client: 'x',
    tenant: 't1',
    start: n * 2,
    end: n * 2 + 1,
    ...(n < given ? { outcome: 'ok' } : { outcome: 'refused', error: 'ratelimited' }),
  })) as Call[];
}
