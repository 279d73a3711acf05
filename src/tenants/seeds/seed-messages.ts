import { LongWork } from '../../kernel/clock/long-work.js';
import type { Tx } from '../../kernel/database/db.js';
import { cleanText } from '../../kernel/text/clean.js';
import { formatTs } from '../../messaging/store/message-ts.js';
import { linkText } from '../../messaging/wire/link-text.js';
import { closeWire, openWire } from '../../messaging/wire/message-wire.js';
import type { Known, SeedContext } from './known.js';
import { withIds, withIdsDeep } from './names-in-texts.js';
import { INSERT_MESSAGES, INSERT_REACTIONS, INSERT_REPLIERS } from './seed-chat.queries.js';
import type { Placed } from './seed-conversations.js';

/** Rows of one statement: the next are made while the store writes these. */
const AT_ONCE = 500;
/** How many people of a thread a message shows. */
const SHOWN_REPLIERS = 5;

/** Stores messages as they were placed, with threads and reactions. */
export async function addMessages(
  tx: Tx,
  { workspaceId }: SeedContext,
  placed: readonly Placed[],
  known: Known,
  publicUrl: string,
): Promise<void> {
  const work = new LongWork();
  let stored: Promise<unknown> = Promise.resolve();
  for (let from = 0; from < placed.length; from += AT_ONCE) {
    const rows: string[] = [];
    for (const one of placed.slice(from, from + AT_ONCE)) {
      await work.pause();
      rows.push(rowOf(one, workspaceId, known, publicUrl));
    }
    await stored;
    // as JSON: the driver takes five times as long over lists of texts
    stored = tx.query(INSERT_MESSAGES, [`[${rows.join(',')}]`, workspaceId]);
    // it is told where it is waited for
    stored.catch(() => undefined);
  }
  await stored;
  await insertRepliers(tx, placed);
  await insertReactions(tx, placed, known);
}

/** A message as a post would store it. */
function rowOf(one: Placed, workspaceId: string, known: Known, publicUrl: string): string {
  const { message, author, root } = one;
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
  const repliers = repliersOf(one);
  const row = JSON.stringify({
    conversation_id: one.conversationId,
    ts: one.ts,
    thread_ts: root?.ts ?? null,
    user_id: author.userId,
    bot_id: author.app?.botId ?? null,
    text: cleanText(text),
    reply_count: one.replies.length,
    reply_users: [...repliers.keys()].slice(0, SHOWN_REPLIERS),
    reply_users_count: repliers.size,
    latest_reply: one.replies.at(-1)?.ts ?? null,
    reactions: reactionsOf(one, known),
  });
  return `${row.slice(0, -1)},"wire":${inJson(closeWire(open, formatTs(one.ts)))}}`;
}

/** As it is: as a text each quote in it would cost on both sides. But an escape may stand for what no text of the store holds. */
const inJson = (wire: string): string => (wire.includes('\\u') ? JSON.stringify(wire) : wire);

/** Who replied, how often and when first. */
function repliersOf({ replies }: Placed): Map<string, { count: number; first: number }> {
  const repliers = new Map<string, { count: number; first: number }>();
  for (const { author, ts } of replies) {
    const { count, first } = repliers.get(author.userId) ?? { count: 0, first: ts };
    repliers.set(author.userId, { count: count + 1, first });
  }
  return repliers;
}

function reactionsOf({ message }: Placed, known: Known): string | null {
  const all = Object.entries(message.reactions).filter(([, by]) => by.length > 0);
  if (all.length === 0) return null;
  return JSON.stringify(
    all.map(([name, by]) => ({ name, users: by.map((who) => known.userId(who)), count: by.length })),
  );
}

async function insertRepliers(tx: Tx, placed: readonly Placed[]): Promise<void> {
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

async function insertReactions(tx: Tx, placed: readonly Placed[], known: Known): Promise<void> {
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
