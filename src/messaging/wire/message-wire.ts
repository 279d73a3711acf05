import { randomUUID } from 'node:crypto';
import { BLANK } from './blanks.js';

/** The app of a bot's message, as its messages show it. */
export interface MessageApp {
  id: string;
  name: string;
  botId: string;
  botUserId: string;
  /** Seconds. */
  createdAt: number;
}

/** docs/reference/chat.md#bots-apps-and-teams. */
export function toWireBotProfile(app: MessageApp, workspaceId: string, publicUrl: string): object {
  const icon = (size: number): string => `${publicUrl}/avatars/${app.botUserId}-${size}.png`;
  return {
    id: app.botId,
    deleted: false,
    name: app.name,
    updated: app.createdAt,
    app_id: app.id,
    icons: { image_36: icon(36), image_48: icon(48), image_72: icon(72) },
    team_id: workspaceId,
    user_id: app.botUserId,
  };
}

/** The content of a message, chosen by its author. Values are already validated. */
export interface MessageContent {
  text: string;
  blocks?: unknown[] | undefined;
  attachments?: unknown[] | undefined;
}

/** Who wrote it, as the message shows it. */
export interface MessageAuthor {
  /** Absent on a `bot_message`. */
  user?: string | undefined;
  /** Set for a bot's message: it brings `bot_id`, `app_id`, `is_bot` and `bot_profile`. */
  app?: MessageApp | undefined;
  /** Set for a customised message and for an incoming webhook's: name and icon, instead of a profile where there is no `user`. */
  custom?: { botId: string; username: string; icons?: object | undefined } | undefined;
}

/** The stored part of a message as an open JSON object: everything but `ts` and the closing brace. */
export function openWire(input: {
  workspaceId: string;
  publicUrl: string;
  author: MessageAuthor;
  content: MessageContent;
  subtype?: string | undefined;
  /** Replies only: wire form of the parent's ts, and its author. */
  thread?: { ts: string; parentUserId: string | null } | undefined;
  /** Fields of a system message (docs/reference/chat.md#system-messages). */
  extra?: object | undefined;
}): string {
  const { author, content, thread } = input;
  const message = {
    type: 'message',
    subtype: input.subtype,
    user: author.user,
    bot_id: author.custom?.botId ?? author.app?.botId,
    app_id: author.app?.id,
    is_bot: author.app || author.custom ? true : undefined,
    username: author.custom?.username,
    icons: author.custom?.icons,
    text: content.text,
    blocks: content.blocks && content.blocks.length > 0 ? content.blocks : undefined,
    attachments: content.attachments && content.attachments.length > 0 ? content.attachments : undefined,
    ...input.extra,
    thread_ts: thread?.ts,
    parent_user_id: thread?.parentUserId ?? undefined,
    team: input.workspaceId,
    bot_profile:
      author.app && author.user !== undefined
        ? toWireBotProfile(author.app, input.workspaceId, input.publicUrl)
        : undefined,
  };
  return JSON.stringify(message).slice(0, -1);
}

/** More members of an open message. @param more them, of the message's own ts */
export function withMore(open: string, more: (ts: string) => object): string {
  // JSON escapes a blank: something that nobody has written stands for it
  const mark = randomUUID();
  return `${open},${JSON.stringify(more(mark)).slice(1, -1).replaceAll(mark, BLANK.ts)}`;
}

/** Completes what `openWire` left open. @param ts of the message, or its blank */
export const closeWire = (open: string, ts: string): string => `${open.replaceAll(BLANK.ts, ts)},"ts":"${ts}"}`;

/** A message as its author and events see it: with its metadata. */
export const withMetadata = (wire: string, metadata: string | null): string =>
  metadata === null ? wire : `${wire.slice(0, -1)},"metadata":${metadata}}`;

/** New content of a message; absent parts are kept, except blocks next to a new text. */
export interface ContentChange {
  readonly text?: string | undefined;
  readonly blocks?: readonly unknown[] | undefined;
  readonly attachments?: readonly unknown[] | undefined;
}

/**
 * Splits a message's stored wire text and rebuilds it with new content: the one place that does. The parts that
 * `openWire` made of author and thread are kept.
 * @param mark what the change adds besides the content; a subtype replaces the existing one
 */
export function rewriteWire(
  wire: string,
  change: ContentChange,
  mark: { edited: { user: string; ts: string }; subtype?: string | undefined },
): { wire: string; text: string; /** Blocks or attachments. */ hasMore: boolean } {
  const { type, subtype, ts, ...rest } = JSON.parse(wire) as Record<string, unknown> & { text: string };
  const text = change.text ?? rest.text;
  const keptBlocks = change.text === undefined ? rest['blocks'] : undefined;
  const blocks = nonEmpty(change.blocks ?? keptBlocks);
  const attachments = nonEmpty(change.attachments ?? rest['attachments']);
  const message = {
    type,
    subtype: mark.subtype ?? subtype,
    ...rest,
    text,
    blocks,
    attachments,
    edited: mark.edited,
    ts,
  };
  return { wire: JSON.stringify(message), text, hasMore: blocks !== undefined || attachments !== undefined };
}

/** Whether an app is writing this message bit by bit just now. */
export const isStreaming = (wire: string): boolean =>
  wire.includes('"streaming_state":"in_progress"') &&
  (JSON.parse(wire) as { streaming_state?: unknown }).streaming_state === 'in_progress';

/** A streamed message's wire text with what it consists of by now. */
export function streamedWire(
  wire: string,
  content: Required<Pick<ContentChange, 'text' | 'blocks'>>,
  isOver: boolean,
): string {
  const message = JSON.parse(wire) as Record<string, unknown>;
  return JSON.stringify({
    ...message,
    text: content.text,
    blocks: nonEmpty(content.blocks),
    streaming_state: isOver ? 'completed' : 'in_progress',
  });
}

const nonEmpty = (list: unknown): unknown => (Array.isArray(list) && list.length > 0 ? list : undefined);

export const TOMBSTONE_TEXT = 'This message was deleted.';
export const TOMBSTONE_USER = 'USLACKBOT';

/**
 * The placeholder of a deleted message with replies (docs/reference/chat.md#threads); its counters are added when it is
 * read.
 */
export const tombstoneWire = (workspaceId: string, ts: string): string =>
  JSON.stringify({
    type: 'message',
    subtype: 'tombstone',
    user: TOMBSTONE_USER,
    hidden: true,
    text: TOMBSTONE_TEXT,
    team: workspaceId,
    ts,
  });
