import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { LongWork } from '../../kernel/clock/long-work.js';
import { coalesce } from '../../kernel/database/coalesce.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { namesIn, readMatcher, type Matcher } from '../../kernel/matchers/matcher.js';
import { matches } from '../../kernel/matchers/matches.js';
import { SandboxViews } from '../../kernel/sandbox/sandbox-views.js';
import { filledIn } from '../../tenants/scripts/templates.js';
import { Timeline } from '../timeline/timeline.service.js';
import { subjectOf } from '../waiting/subjects.js';
import {
  ACTS_OF_REQUESTS,
  ADD_FIRINGS,
  HOLD_POSITION,
  HOLD_WATCHING,
  POSITION,
  SET_POSITION,
  WATCHING,
  type WatchingRow,
} from './scripts.queries.js';
import { lru } from '../../kernel/lru.js';

/** Something that sets an entry off. */
interface Match {
  readonly name: string;
  readonly seq: number;
  readonly wallMs: number;
  readonly subject: unknown;
  readonly cause: string | null;
  readonly chain: number;
}

/** Places of a timeline's entry, one for each entry of the script. */
const PLACES = 1_000;

/**
 * Compares what happens in sandboxes with their scripts: each entry of a timeline once over all replicas, as its place
 * and what is due by it are stored together.
 */
@Injectable()
export class ScriptMatching {
  /** How far this process has compared without finding anything. */
  private readonly compared = lru<number, number>(20_000);

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly timeline: Timeline,
    private readonly views: SandboxViews,
  ) {}

  /** Whether anything is due by what was added to the timeline. */
  readonly match = coalesce(
    async (asked: number[]) => {
      const found = await this.compare(asked[0] as number);
      return asked.map(() => found);
    },
    { name: 'scripts.match', inFlight: 1, lane: (tenantId) => tenantId },
  );

  private async compare(tenantId: number): Promise<boolean> {
    for (;;) {
      const [stored] = await this.db.read<{ position: number }>(POSITION, [tenantId]);
      const from = Math.max(stored?.position ?? 0, this.compared.get(tenantId) ?? 0);
      const { last } = await this.timeline.state(tenantId);
      // read after that: an entry of the script that was there before something happened is known
      const watching = await this.db.read<WatchingRow>(WATCHING, [tenantId]);
      if (watching.length === 0 || last <= from) return false;
      const found = await this.find(tenantId, watching, from, last);
      const added = found.length === 0 ? false : await this.store(tenantId, from, last, found);
      if (added === undefined) continue;
      this.compared.set(tenantId, last);
      return added;
    }
  }

  private async find(tenantId: number, watching: readonly WatchingRow[], from: number, last: number): Promise<Match[]> {
    const read = watching.map((row) => {
      const { for: what, where } = row.entry.when;
      return { row, request: { for: what, where: where ? readMatcher(where) : null } };
    });
    const names = [...new Set(read.flatMap(({ request }) => (request.where ? [...namesIn(request.where)] : [])))];
    const aliases = await this.views.aliases(tenantId, names);
    const kinds = read.some(({ request }) => request.for === 'call') ? ['event', 'call'] : ['event'];
    const found: Match[] = [];
    const work = new LongWork();
    for await (const { seq, entry } of this.timeline.walk(tenantId, { after: from, kinds }, last)) {
      await work.pause();
      const wallMs = Date.parse(entry.wall);
      for (const { row, request } of read) {
        if (wallMs < row.since.getTime()) continue;
        const subject = subjectOf(request, entry);
        if (subject === undefined || !(request.where === null || matches(request.where, subject, aliases))) continue;
        const cause = entry.kind === 'call' ? entry['request_id'] : entry['cause'];
        const shown = subjectOf({ ...request, where: null as Matcher | null }, entry);
        found.push({
          name: row.name,
          seq,
          wallMs,
          subject: shown,
          cause: typeof cause === 'string' ? cause : null,
          chain: 1,
        });
      }
    }
    return this.inChains(tenantId, found);
  }

  /** What a script did never sets off the entry that did it, and is one longer chain for the others. */
  private async inChains(tenantId: number, found: readonly Match[]): Promise<Match[]> {
    const requests = [...new Set(found.flatMap(({ cause }) => cause ?? []))];
    if (requests.length === 0) return [...found];
    interface Act extends Record<string, unknown> {
      readonly requestId: string;
      readonly name: string;
      readonly chain: number;
    }
    const acts = await this.db.read<Act>(ACTS_OF_REQUESTS, [tenantId, requests]);
    const byRequest = new Map(acts.map((act) => [act.requestId, act]));
    return found.flatMap((match) => {
      const act = byRequest.get(match.cause ?? '');
      if (!act) return [match];
      return act.name === match.name ? [] : [{ ...match, chain: act.chain + 1 }];
    });
  }

  /** Whether anything is due then; undefined: another replica was quicker. */
  private store(tenantId: number, from: number, last: number, found: readonly Match[]): Promise<boolean | undefined> {
    return this.db.write(async (tx: Tx) => {
      const [held] = await tx.query<{ position: number }>(HOLD_POSITION, [tenantId]);
      if (!held || held.position > from) return undefined;
      const rows = new Map((await tx.query<WatchingRow>(HOLD_WATCHING, [tenantId])).map((row) => [row.name, row]));
      const seen = new Map([...rows].map(([name, row]) => [name, row.seen]));
      const due = found.flatMap(({ name, seq, wallMs, subject, cause, chain }) => {
        const row = rows.get(name);
        // gone, or put back by a reset
        if (!row || wallMs < row.since.getTime()) return [];
        const { times = 1, skip, after, do: doing } = row.entry;
        const number = (seen.get(name) ?? 0) + 1;
        const first = (skip ?? 0) + 1;
        if (times !== null && number >= first + times) return [];
        seen.set(name, number);
        const [act, fields] = Object.entries(doing)[0] as [string, object];
        return [
          {
            name,
            seen: number,
            fires: number >= first,
            after: Math.round((after ?? 0) * 1e6),
            place: seq * PLACES + row.place,
            act,
            fields: filledIn(fields, subject),
            cause,
            chain,
          },
        ];
      });
      if (due.length > 0) {
        await tx.query(ADD_FIRINGS, [tenantId, JSON.stringify(due), this.clock.wallOffsetMicros]);
      }
      await tx.query(SET_POSITION, [tenantId, last]);
      return due.some(({ fires }) => fires);
    });
  }
}
