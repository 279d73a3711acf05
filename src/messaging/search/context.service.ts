import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db } from '../../kernel/database/db.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { ConversationAccess, requireAnyScope, type Caller } from '../access/conversation-access.js';
import { ActionTokens } from '../events/action-tokens.js';
import { encodeCursor, pageEnd } from '../rpc/cursor.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import type { ConversationType } from '../store/conversation.entity.js';
import { formatTs } from '../store/message-ts.js';
import { fileUrls, workspaceUrl } from '../wire/chat-urls.js';
import { MessagingError } from '../wire/codes.js';
import { toWireFile } from '../wire/file-wire.js';
import { permalinkOf } from '../wire/permalink.js';
import { findCandidates, type Criteria, type Hit } from './candidates.queries.js';
import { CHANNEL_TYPES, type AssistantSearchContextArgs, type ContentType } from './context.dto.js';
import { FIND_CHANNELS, FIND_USERS, NAMES_OF_PEOPLE, NEIGHBOURS } from './context.queries.js';
import { findFiles } from './found-files.queries.js';
import { highlight } from './highlight.js';
import { parseQuery } from './query.js';
import { MATCHES, type MatchRow } from './search.queries.js';
import { SearchService } from './search.service.js';

/** Scopes by what is looked for, and by where. */
const SCOPES: Readonly<Record<ContentType, string>> = {
  messages: 'search:read.public',
  files: 'search:read.files',
  users: 'search:read.users',
  channels: 'search:read.public',
};
const PLACE_SCOPES: Readonly<Record<ConversationType, string>> = {
  public: 'search:read.public',
  private: 'search:read.private',
  im: 'search:read.im',
  mpim: 'search:read.mpim',
};
/** Words of a query that count: of more, the longest. */
const MAX_WORDS = 20;

type Row = Record<string, unknown>;
/** What one type of content answers. */
interface Found {
  readonly list: readonly object[];
  readonly hasMore: boolean;
}

/** What a query asks for, and where it is looked for. */
interface Asked {
  readonly criteria: Criteria | null;
  readonly words: readonly string[];
  readonly types: readonly ConversationType[];
  readonly offset: number;
}

/** assistant.search.context (docs/reference/chat.md#search-for-agents). */
@Injectable()
export class SearchContext {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly publicUrl: PublicUrl,
    private readonly conversations: ConversationAccess,
    private readonly tokens: ActionTokens,
    private readonly search: SearchService,
  ) {}

  async find(caller: Caller, args: AssistantSearchContextArgs): Promise<Answer> {
    const { content_types: contents = ['messages'], context_channel_id: context } = args;
    const named = (args.channel_types ?? ['public_channel']).map((word) => CHANNEL_TYPES[word] as ConversationType);
    for (const content of contents) requireAnyScope(caller, [SCOPES[content]]);
    for (const type of named) if (type !== 'public') requireAnyScope(caller, [PLACE_SCOPES[type]]);
    await this.requireToken(caller, args.action_token);
    if (context !== undefined && !(await this.conversations.find(caller, context))) {
      throw new MessagingError('context_channel_not_found');
    }
    const types = caller.kind === 'bot' ? named.filter((type) => type === 'public') : named;
    const page = args.cursor ?? 1;
    const asked = await this.asked(caller, args, types, (page - 1) * args.limit);
    const finders: Record<ContentType, () => Promise<Found>> = {
      messages: () => this.messages(caller, args, asked),
      files: () => this.files(caller, args, asked),
      channels: () => this.channels(caller, args, asked),
      users: () => this.users(caller, args, asked),
    };
    const found: [ContentType, Found][] = [];
    for (const content of contents) found.push([content, await finders[content]()]);
    const hasMore = found.some(([, one]) => one.hasMore);
    return {
      results: Object.fromEntries(found.map(([content, { list }]) => [content, list])),
      ...pageEnd(hasMore ? encodeCursor('page', page + 1) : ''),
    };
  }

  /** @throws MessagingError invalid_action_token: a bot searches only because a person asked it something */
  private async requireToken(caller: Caller, token: string | undefined): Promise<void> {
    if (caller.kind !== 'bot') return;
    const isGood = token !== undefined && (await this.tokens.isGood(token, caller.workspaceId, caller.app?.id ?? ''));
    if (!isGood) throw new MessagingError('invalid_action_token');
  }

  private async asked(
    caller: Caller,
    args: AssistantSearchContextArgs,
    types: readonly ConversationType[],
    offset: number,
  ): Promise<Asked> {
    const query = parseQuery(args.query, this.clock.nowMicros());
    // it is asked in sentences
    const words = [...new Set(query.terms.map(bare).filter((word) => word !== ''))]
      .sort((a, b) => b.length - a.length)
      .slice(0, MAX_WORDS);
    const said = { ...query, terms: words };
    const resolved = query.nothing || types.length === 0 ? null : await this.search.resolve(caller, said);
    const criteria = resolved && {
      ...resolved,
      matchesAny: true,
      types,
      isActive: !args.include_archived_channels,
      byPeople: !args.include_bots,
      from: Math.max(resolved.from ?? 0, args.after * 1e6),
      ...(args.before > 0 && { to: Math.min(resolved.to ?? Infinity, args.before * 1e6) }),
    };
    return { criteria, words, types, offset };
  }

  private async messages(caller: Caller, args: AssistantSearchContextArgs, asked: Asked): Promise<Found> {
    const { criteria, words, offset } = asked;
    if (!criteria) return NOTHING;
    const slice = { sort: args.sort, direction: args.sort_dir, offset, count: args.limit };
    const { total, hits } = await findCandidates(this.db, criteria, slice);
    if (hits.length === 0) return { list: [], hasMore: false };
    const [channels, times] = [hits.map(({ channel }) => channel), hits.map(({ ts }) => ts)];
    const rows = await this.db.read<MatchRow & Row>(MATCHES, [caller.workspaceId, caller.userId, channels, times]);
    const authors = rows.map((row) => (JSON.parse(row.wire) as { user?: string }).user ?? '');
    const names = await this.names(caller, authors);
    const around = args.include_context_messages ? await this.neighbours(hits) : null;
    const base = workspaceUrl(this.publicUrl.base, caller);
    const list = rows.map((row) => {
      const message = JSON.parse(row.wire) as Row & { user?: string; username?: string; text: string };
      return {
        author_name: message.username ?? names.get(message.user ?? '') ?? '',
        author_user_id: message.user,
        team_id: caller.workspaceId,
        channel_id: row.conversation_id,
        channel_name: row.channel_name,
        message_ts: formatTs(row.ts),
        content: args.highlight ? highlight(message.text, words) : message.text,
        is_author_bot: message['bot_id'] !== undefined,
        permalink: permalinkOf(base, { channel: row.conversation_id, ts: row.ts, threadTs: row.thread_ts }),
        ...(args.include_message_blocks && { blocks: message['blocks'] ?? [] }),
        ...(around && { context_messages: around.get(`${row.conversation_id} ${row.ts}`) }),
      };
    });
    return { list, hasMore: offset + hits.length < total };
  }

  private async files(caller: Caller, args: AssistantSearchContextArgs, asked: Asked): Promise<Found> {
    const { criteria, offset } = asked;
    if (!criteria) return NOTHING;
    const slice = { sort: args.sort_dir, offset, count: args.limit };
    const { total, files } = await findFiles(this.db, criteria, slice);
    const names = await this.names(
      caller,
      files.map(({ userId }) => userId),
    );
    const urls = fileUrls(this.publicUrl.base, caller);
    const list = files.map((file) => {
      const wire = toWireFile(file, [], urls) as Row;
      const made = Math.floor(file.createdAt / 1e6);
      return {
        author_name: names.get(file.userId) ?? '',
        author_user_id: file.userId,
        team_id: caller.workspaceId,
        file_id: file.id,
        title: file.title,
        file_type: wire['filetype'],
        date_created: made,
        date_updated: made,
        permalink: wire['permalink'],
        content: typeof wire['preview'] === 'string' ? wire['preview'] : '',
      };
    });
    return { list, hasMore: offset + files.length < total };
  }

  private async channels(caller: Caller, args: AssistantSearchContextArgs, asked: Asked): Promise<Found> {
    interface Channel extends Row {
      id: string;
      creatorId: string;
      createdAt: number;
      updatedAt: number;
    }
    const { words, types, offset } = asked;
    const rows = await this.db.read<Channel>(FIND_CHANNELS, [
      caller.workspaceId,
      caller.userId,
      lower(words),
      types,
      args.include_archived_channels,
      args.limit + 1,
      offset,
    ]);
    const names = await this.names(
      caller,
      rows.map(({ creatorId }) => creatorId),
    );
    const base = workspaceUrl(this.publicUrl.base, caller);
    const list = rows.slice(0, args.limit).map((row) => ({
      team_id: caller.workspaceId,
      channel_id: row.id,
      name: row['name'],
      topic: row['topic'],
      purpose: row['purpose'],
      creator_user_id: row.creatorId,
      creator_name: names.get(row.creatorId) ?? '',
      date_created: Math.floor(row.createdAt / 1e6),
      date_updated: Math.floor(row.updatedAt / 1e6),
      permalink: `${base}/archives/${row.id}`,
    }));
    return { list, hasMore: rows.length > args.limit };
  }

  private async users(caller: Caller, args: AssistantSearchContextArgs, asked: Asked): Promise<Found> {
    const flags = [args.include_bots, args.include_deleted_users];
    const values = [caller.workspaceId, lower(asked.words), ...flags, args.limit + 1, asked.offset];
    const rows = await this.db.read<Row>(FIND_USERS, values);
    const base = workspaceUrl(this.publicUrl.base, caller);
    const list = rows.slice(0, args.limit).map((row) => ({
      team_id: caller.workspaceId,
      user_id: row['id'],
      username: row['name'],
      full_name: row['fullName'],
      title: row['title'] ?? '',
      is_bot: row['isBot'],
      is_deleted: row['isDeleted'],
      permalink: `${base}/team/${String(row['id'])}`,
    }));
    return { list, hasMore: rows.length > args.limit };
  }

  private async names(caller: Caller, ids: readonly string[]): Promise<Map<string, string>> {
    const rows = await this.db.read<{ id: string; name: string }>(NAMES_OF_PEOPLE, [
      caller.workspaceId,
      [...new Set(ids)],
    ]);
    return new Map(rows.map(({ id, name }) => [id, name]));
  }

  private async neighbours(hits: readonly Hit[]): Promise<Map<string, object>> {
    const rows = await this.db.read<{ channel: string; ts: number; before: unknown; after: unknown }>(NEIGHBOURS, [
      hits.map(({ channel }) => channel),
      hits.map(({ ts }) => ts),
    ]);
    return new Map(rows.map(({ channel, ts, before, after }) => [`${channel} ${ts}`, { before, after }]));
  }
}

const NOTHING: Found = { list: [], hasMore: false };

const lower = (words: readonly string[]): string[] => words.map((word) => word.toLowerCase());

/** A word without the punctuation around it. */
const bare = (word: string): string => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
