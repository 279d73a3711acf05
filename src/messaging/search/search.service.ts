import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { LongWork, ownTurn } from '../../kernel/clock/long-work.js';
import { Db } from '../../kernel/database/db.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import type { Caller } from '../access/conversation-access.js';
import { ArgumentError } from '../rpc/args/parse-args.js';
import { encodeCursor, pageEnd } from '../rpc/cursor.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import { WireText, wireObject } from '../rpc/wire-text.js';
import { wireFiles } from '../wire/file-wire.queries.js';
import { findCandidates, type Criteria, type Hits } from './candidates.queries.js';
import { findFiles } from './found-files.queries.js';
import { parseQuery, sizeOf, type FromTarget, type HasTarget, type InTarget, type SearchQuery } from './query.js';
import type { SearchMessagesArgs } from './search.dto.js';
import { MATCHES, SCOPE, type MatchRow, type ScopeRow } from './search.queries.js';
import { toWireMatch, toWirePages } from './search.wire.js';
import { fileUrls, workspaceUrl } from '../wire/chat-urls.js';

/** Finds messages and files: search.messages, search.files, search.all. */
@Injectable()
export class SearchService {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly publicUrl: PublicUrl,
  ) {}

  async messages(caller: Caller, args: SearchMessagesArgs): Promise<Answer> {
    return answerOf(args, { messages: await this.foundMessages(caller, args) });
  }

  /** search.files: files by their names and titles. */
  async files(caller: Caller, args: SearchMessagesArgs): Promise<Answer> {
    return answerOf(args, { files: await this.foundFiles(caller, args) });
  }

  /** search.all: a page of both; a cursor goes on while either has more. */
  async all(caller: Caller, args: SearchMessagesArgs): Promise<Answer> {
    const messages = await this.foundMessages(caller, args);
    return answerOf(args, { messages, files: await this.foundFiles(caller, args) });
  }

  private async foundMessages(caller: Caller, args: SearchMessagesArgs): Promise<Found> {
    const query = this.parse(args);
    const { total, hits } = await this.find(caller, query, args, pageOf(args));
    const rows = hits.length === 0 ? [] : await this.load(caller, hits);
    const highlighted = args.highlight ? query.terms : [];
    const view = { workspaceId: caller.workspaceId, publicUrl: workspaceUrl(this.publicUrl.base, caller), highlighted };
    const scores = new Map(hits.map(({ channel, ts, score }) => [`${channel}.${ts}`, score]));
    const matches: string[] = [];
    // marking and serialising long texts takes a while: other calls run in between, and no other search does so in the same
    // turn
    if (highlighted.length > 0) await ownTurn();
    const work = new LongWork();
    for (const row of rows) {
      await work.pause();
      const score = scores.get(`${row.conversation_id}.${row.ts}`) ?? 1;
      matches.push(JSON.stringify(toWireMatch(row, { ...view, score })));
    }
    return { total, matches: new WireText(`[${matches.join(',')}]`) };
  }

  private async foundFiles(caller: Caller, args: SearchMessagesArgs): Promise<Found> {
    const query = this.parse(args);
    const criteria = query.nothing || query.thread === true ? null : await this.resolve(caller, query);
    if (!criteria) return { total: 0, matches: new WireText('[]') };
    const offset = Math.min((pageOf(args) - 1) * args.count, MAX_OFFSET);
    const { total, files } = await findFiles(this.db, criteria, { sort: args.sort_dir, offset, count: args.count });
    const seen = { viewer: caller.userId, urls: fileUrls(this.publicUrl.base, caller) };
    return { total, matches: new WireText(JSON.stringify(await wireFiles(this.db, files, seen))) };
  }

  parse(args: Pick<SearchMessagesArgs, 'query'>): SearchQuery {
    const query = parseQuery(args.query, this.clock.nowMicros());
    if (sizeOf(query) > MAX_TERMS) {
      throw new ArgumentError('invalid_arguments', [`[ERROR] at most ${MAX_TERMS} terms and modifiers: query`]);
    }
    return query;
  }

  private async find(caller: Caller, query: SearchQuery, args: SearchMessagesArgs, page: number): Promise<Hits> {
    const nothing: Hits = { total: 0, hits: [] };
    if (query.nothing) return nothing;
    const criteria = await this.resolve(caller, query);
    if (!criteria) return nothing;
    return findCandidates(this.db, criteria, {
      sort: args.sort,
      direction: args.sort_dir,
      offset: Math.min((page - 1) * args.count, MAX_OFFSET),
      count: args.count,
    });
  }

  /** Null when a name of the query names nothing that the caller may see, so that nothing can match. */
  async resolve(caller: Caller, query: SearchQuery): Promise<Criteria | null> {
    const places = [...query.in, ...query.notIn];
    const people = [...query.from, ...query.notFrom, ...places];
    const me = query.from.concat(query.notFrom).some(({ kind }) => kind === 'me') ? [caller.userId] : [];
    const [row] = await this.db.read<ScopeRow & Record<string, unknown>>(SCOPE, [
      caller.workspaceId,
      caller.userId,
      valuesOf(places, 'name'),
      valuesOf(people, 'userName').flatMap((name) => [name, name.toLowerCase()]),
      [...valuesOf(people, 'userId'), ...me],
      valuesOf(places, 'id'),
    ]);
    const scope = row as ScopeRow;
    const visible = new Set(scope.visible);
    const conversationsOf = (targets: readonly InTarget[]): string[] => [
      ...new Set(targets.flatMap((target) => placesOf(target, scope)).filter((id) => visible.has(id))),
    ];
    const authorsOf = (targets: readonly FromTarget[]): string[] => [
      ...new Set(targets.flatMap((target) => authorIdsOf(target, scope, caller.userId))),
    ];
    const conversations = query.in.length > 0 ? conversationsOf(query.in) : null;
    const authors = query.from.length > 0 ? authorsOf(query.from) : undefined;
    if (conversations?.length === 0 || authors?.length === 0) return null;
    const link = linkOf(query);
    if (link === null) return null;
    return {
      workspaceId: caller.workspaceId,
      userId: caller.userId,
      conversations,
      notConversations: conversationsOf(query.notIn),
      authors,
      notAuthors: authorsOf(query.notFrom),
      terms: query.terms,
      notTerms: query.notTerms,
      link,
      facets: [...facetsOf(query.has), ...(query.thread === true ? ['thread'] : [])],
      notFacets: [...facetsOf(query.notHas), ...(query.thread === false ? ['thread'] : [])],
      ...query.time,
      notTimes: query.notTimes,
    };
  }

  private load(caller: Caller, hits: Hits['hits']): Promise<(MatchRow & Record<string, unknown>)[]> {
    return this.db.read(MATCHES, [
      caller.workspaceId,
      caller.userId,
      hits.map(({ channel }) => channel),
      hits.map(({ ts }) => ts),
    ]);
  }
}

interface Found {
  /** On all pages. */
  readonly total: number;
  /** A list of those of this page. */
  readonly matches: WireText;
}

const pageOf = ({ cursor, page }: SearchMessagesArgs): number => cursor ?? page;

function answerOf(args: SearchMessagesArgs, lists: Readonly<Record<string, Found>>): Answer {
  const page = pageOf(args);
  const hasNext = Object.values(lists).some(({ total }) => page * args.count < total);
  return {
    query: args.query,
    ...Object.fromEntries(
      Object.entries(lists).map(([name, { total, matches }]) => [
        name,
        wireObject({ total, ...toWirePages(total, page, args.count), matches }),
      ]),
    ),
    ...(args.cursor === undefined ? {} : pageEnd(hasNext ? encodeCursor('page', page + 1) : '')),
  };
}

/** Terms and modifiers of one query. */
const MAX_TERMS = 20;

/** Past every candidate: a cursor may name any page, and an offset is 32 bits wide. */
const MAX_OFFSET = 1_000_000;

const valuesOf = (targets: readonly (InTarget | FromTarget)[], kind: string): string[] =>
  targets.flatMap((target) => (target.kind === kind && 'value' in target ? [target.value] : []));

const usersOf = ({ kind, value }: { kind: 'userId' | 'userName'; value: string }, { users }: ScopeRow) => {
  if (kind === 'userId') return users.filter(({ id }) => id === value);
  const exact = users.filter(({ name }) => name === value);
  return exact.length > 0 ? exact : users.filter(({ name }) => name === value.toLowerCase());
};

function placesOf(target: InTarget, scope: ScopeRow): string[] {
  if (target.kind === 'id') return [target.value];
  if (target.kind === 'name') return scope.channels.flatMap(({ id, name }) => (name === target.value ? [id] : []));
  return usersOf({ kind: target.kind, value: target.value }, scope).flatMap(({ im }) => im ?? []);
}

/** A bot is an author twice: as its user, and by its bot id where a message shows no user. */
function authorIdsOf(target: FromTarget, scope: ScopeRow, me: string): string[] {
  const found = target.kind === 'me' ? usersOf({ kind: 'userId', value: me }, scope) : usersOf(target, scope);
  return found.flatMap(({ id, bot_id }) => (bot_id === null ? [id] : [id, bot_id]));
}

/** Null when the same value is both required and excluded. */
function linkOf({ has, notHas }: SearchQuery): boolean | undefined | null {
  const wanted = has.some(({ kind }) => kind === 'link');
  const unwanted = notHas.some(({ kind }) => kind === 'link');
  if (wanted && unwanted) return null;
  return wanted ? true : unwanted ? false : undefined;
}

const facetsOf = (targets: readonly HasTarget[]): string[] =>
  targets.flatMap((target) =>
    target.kind === 'reaction' ? ['reaction'] : target.kind === 'emoji' ? [`:${target.value}:`] : [],
  );
