import { LongWork } from '../../kernel/clock/long-work.js';
import { numberArray, textArray } from '../../kernel/database/array-parameters.js';
import type { Tx } from '../../kernel/database/db.js';
import { cleanText } from '../../kernel/text/clean.js';
import { INSERT_REPLIERS } from '../../messaging/messages/bulk-messages.queries.js';
import { INSERT_REACTIONS } from '../../messaging/reactions/reactions.queries.js';
import { formatTs } from '../../messaging/store/message-ts.js';
import { linkText } from '../../messaging/wire/link-text.js';
import { closeWire, openWire } from '../../messaging/wire/message-wire.js';
import type { KnownObjects, SeedContext } from './known-objects.js';
import { withIds, withIdsDeep } from './names-in-texts.js';
import { INSERT_MESSAGES } from './seed-chat.queries.js';
import type { DatedMessage } from './seed-conversations.js';

/** Rows per statement: the next ones are built while the store writes these. */
const AT_ONCE = 500;
/** The most repliers that a message lists. */
const SHOWN_REPLIERS = 5;

/** Stores messages at their times, with threads and reactions. */
export async function addMessages(
  tx: Tx,
  { workspaceId }: SeedContext,
  placed: readonly DatedMessage[],
  known: KnownObjects,
  publicUrl: string,
): Promise<void> {
  const work = new LongWork();
  let stored: Promise<unknown> = Promise.resolve();
  for (let from = 0; from < placed.length; from += AT_ONCE) {
    const rows: MessageRow[] = [];
    for (const one of placed.slice(from, from + AT_ONCE)) {
      await work.pause();
      rows.push(rowOf(one, workspaceId, known, publicUrl));
    }
    const values = [...columnsOf(rows), workspaceId];
    await stored;
    stored = tx.query(INSERT_MESSAGES, values);
    // its error is handled where it is awaited
    stored.catch(() => undefined);
  }
  await stored;
  await insertRepliers(tx, placed);
  await insertReactions(tx, placed, known);
}

interface MessageRow {
  readonly conversationId: string;
  readonly ts: number;
  readonly threadTs: number | null;
  readonly userId: string;
  readonly botId: string | null;
  readonly text: string;
  readonly wire: string;
  /** For the parent message of a thread. */
  readonly thread: { readonly replies: number; readonly users: readonly string[]; readonly latest: number } | null;
  readonly reactions: string | null;
}

/** The row that posting the message would store. */
function rowOf(one: DatedMessage, workspaceId: string, known: KnownObjects, publicUrl: string): MessageRow {
  const { message, author, root, replies } = one;
  const text = linkText(withIds(message.text, known));
  const open = openWire({
    workspaceId,
    publicUrl,
    author: { user: author.userId, app: author.app },
    content: {
      text,
      blocks: message.blocks && withIdsDeep(message.blocks, known),
      attachments: message.attachments && withIdsDeep(message.attachments, known),
    },
    thread: root ? { ts: formatTs(root.ts), parentUserId: root.author.userId } : undefined,
  });
  const latest = replies.at(-1);
  return {
    conversationId: one.conversationId,
    ts: one.ts,
    threadTs: root?.ts ?? null,
    userId: author.userId,
    botId: author.app?.botId ?? null,
    text: cleanText(text),
    wire: closeWire(open, formatTs(one.ts)),
    thread: latest ? { replies: replies.length, users: [...repliersOf(one).keys()], latest: latest.ts } : null,
    reactions: reactionsOf(one, known),
  };
}

/** A list for each column, empty if no message has the value. */
function columnsOf(rows: readonly MessageRow[]): (Buffer | string)[] {
  const texts = (value: (row: MessageRow) => string | null): Buffer => textArray(unlessEmpty(rows.map(value)));
  const numbers = (value: (row: MessageRow) => number | null): string => numberArray(unlessEmpty(rows.map(value)));
  return [
    texts(({ conversationId }) => conversationId),
    numbers(({ ts }) => ts),
    numbers(({ threadTs }) => threadTs),
    texts(({ userId }) => userId),
    texts(({ botId }) => botId),
    texts(({ text }) => text),
    texts(({ wire }) => wire),
    numbers(({ thread }) => thread && thread.replies),
    texts(({ thread }) => thread && `{${thread.users.slice(0, SHOWN_REPLIERS).join(',')}}`),
    numbers(({ thread }) => thread && thread.users.length),
    numbers(({ thread }) => thread && thread.latest),
    texts(({ reactions }) => reactions),
  ];
}

const unlessEmpty = <T>(values: (T | null)[]): (T | null)[] => (values.some((value) => value !== null) ? values : []);

/** The repliers, the number of replies and the first one. */
function repliersOf({ replies }: DatedMessage): Map<string, { count: number; first: number }> {
  const repliers = new Map<string, { count: number; first: number }>();
  for (const { author, ts } of replies) {
    const { count, first } = repliers.get(author.userId) ?? { count: 0, first: ts };
    repliers.set(author.userId, { count: count + 1, first });
  }
  return repliers;
}

function reactionsOf({ message }: DatedMessage, known: KnownObjects): string | null {
  const all = Object.entries(message.reactions).filter(([, by]) => by.length > 0);
  if (all.length === 0) return null;
  return JSON.stringify(
    all.map(([name, by]) => ({ name, users: by.map((who) => known.userId(who)), count: by.length })),
  );
}

async function insertRepliers(tx: Tx, placed: readonly DatedMessage[]): Promise<void> {
  const repliers = placed.flatMap((one) =>
    [...repliersOf(one)].map(([replier, { count, first }]) => ({ one, replier, count, first })),
  );
  if (repliers.length === 0) return;
  await tx.query(INSERT_REPLIERS, [
    repliers.map(({ one }) => one.conversationId),
    repliers.map(({ one }) => one.ts),
    repliers.map(({ replier }) => replier),
    repliers.map(({ count }) => count),
    repliers.map(({ first }) => first),
  ]);
}

async function insertReactions(tx: Tx, placed: readonly DatedMessage[], known: KnownObjects): Promise<void> {
  const reactions = placed.flatMap((one) =>
    Object.entries(one.message.reactions).flatMap(([name, by]) =>
      by.map((who) => ({ one, name, user: known.userId(who) })),
    ),
  );
  if (reactions.length === 0) return;
  await tx.query(INSERT_REACTIONS, [
    reactions.map(({ one }) => one.conversationId),
    reactions.map(({ one }) => one.ts),
    reactions.map(({ name }) => name),
    reactions.map(({ user }) => user),
  ]);
}
