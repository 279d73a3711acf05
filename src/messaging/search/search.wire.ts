import { formatTs } from '../store/message-ts.js';
import { permalinkOf } from '../wire/permalink.js';
import { highlight } from './highlight.js';
import type { MatchRow } from './search.queries.js';

/** The fields of a stored message that a match shows. */
interface StoredMessage {
  user?: string;
  bot_id?: string;
  is_bot?: true;
  username?: string;
  text: string;
  blocks?: unknown[];
  attachments?: unknown[];
}

interface MatchView {
  readonly score: number;
  readonly workspaceId: string;
  /** Without a final slash. */
  readonly publicUrl: string;
  /** What to mark in the text; empty marks nothing. */
  readonly highlighted: readonly string[];
}

/** A message as search.messages shows it (docs/METHODS.md). Members that are undefined do not appear. */
export function toWireMatch(row: MatchRow, view: MatchView): object {
  const message = JSON.parse(row.wire) as StoredMessage;
  const ts = formatTs(row.ts);
  const digits = ts.replace('.', '');
  return {
    iid: `${row.conversation_id}.${digits}`,
    team: view.workspaceId,
    score: view.score,
    channel: toWireMatchChannel(row),
    type: 'message',
    user: message.user,
    username: message.username ?? row.user_name ?? '',
    bot_id: message.bot_id,
    is_bot: message.is_bot,
    ts,
    text: view.highlighted.length > 0 ? highlight(message.text, view.highlighted) : message.text,
    blocks: message.blocks,
    attachments: message.attachments,
    permalink: permalinkOf(view.publicUrl, { channel: row.conversation_id, ts: row.ts, threadTs: row.thread_ts }),
    no_reactions: row.has_reactions ? undefined : true,
  };
}

const toWireMatchChannel = ({ conversation_id, type, channel_name }: MatchRow): object => ({
  id: conversation_id,
  is_channel: type === 'public' || type === 'private',
  is_group: type === 'mpim',
  is_im: type === 'im',
  is_mpim: type === 'mpim',
  is_shared: false,
  is_org_shared: false,
  is_ext_shared: false,
  is_private: type !== 'public',
  name: channel_name,
  pending_shared: [],
  is_pending_ext_shared: false,
});

/** Both forms of paging information. A page past the end is empty: `first` and `last` are 0. */
export function toWirePages(total: number, page: number, count: number): { pagination: object; paging: object } {
  const pages = Math.ceil(total / count);
  const isEmpty = page > pages;
  return {
    pagination: {
      total_count: total,
      page,
      per_page: count,
      page_count: pages,
      first: isEmpty ? 0 : (page - 1) * count + 1,
      last: isEmpty ? 0 : Math.min(page * count, total),
    },
    paging: { count, total, page, pages },
  };
}
