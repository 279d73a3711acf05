import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Clock } from '../../kernel/clock/clock.js';
import { Db } from '../../kernel/database/db.js';
import { outside } from '../../kernel/http/call-context.js';
import type { PlainAnswer } from '../../kernel/http/calls.js';
import { RestError } from '../../kernel/http/http-error.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { eachText, idSpaceOf } from '../../kernel/ids/id-space.js';
import { newAlphanumeric, newId, type IdPrefix } from '../../kernel/ids/ids.js';
import { Limits } from '../../kernel/limits/limits.js';
import { SIGNING_SECRETS } from '../../tenants/both-products.queries.js';
import type { InternalRequest } from '../../webhooks/guarded-http.js';
import { oneByOne } from '../access/one-by-one.js';
import { inboxAnswer } from '../faults/fault-gate.js';
import { keepBody, keepMessage, keepValue } from '../timeline/entry.js';
import { Recorder } from '../timeline/recorder.js';
import { redactFields, redactText } from '../timeline/redaction.js';
import { answersOf, challengeOf, type InboxAnswer } from './inbox.js';
import type { InboxBody } from './inboxes.dto.js';
import {
  DELETE_INBOXES,
  FIND_INBOX,
  INBOXES,
  INSERT_INBOX,
  TAKE_TURN,
  type FoundInbox,
  type InboxRow,
} from './inboxes.queries.js';
import { signedBy } from './signed-by.js';

const MAX_INBOXES = 100;
const A_MINUTE = { kind: 'window', limit: 600, windowMs: 60_000 } as const;
/** The most requests of one sandbox waiting for their answer. */
const MAX_WAITING = 200;
const PATH = /\/in\/([A-Za-z0-9]{32})$/;

/** A request that an inbox gets. */
export interface InboxRequest {
  readonly method: string;
  /** Without the question mark. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/**
 * URLs on this server that accept any request and record it on their sandbox's timeline
 * (docs/reference/sandboxes.md#deliveries).
 */
@Injectable()
export class Inboxes implements BeforeApplicationShutdown {
  private readonly stopped = new AbortController();
  private readonly waiting = new Map<number, number>();

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly limits: Limits,
    private readonly publicUrl: PublicUrl,
    private readonly recorder: Recorder,
  ) {}

  beforeApplicationShutdown(): void {
    this.stopped.abort();
  }

  /** @throws RestError 400; 409 too_many_inboxes */
  async create(tenantId: number, inbox: InboxBody): Promise<object> {
    const answers = JSON.stringify(answersOf(inbox));
    const id = newId('In' as IdPrefix);
    const values = [id, tenantId, inbox.name, newAlphanumeric(32), answers, inbox.challenge];
    const [row] = await oneByOne<InboxRow>(this.db, tenantId, INSERT_INBOX, [...values, MAX_INBOXES]);
    if (!row) throw new RestError(409, 'too_many_inboxes');
    return this.shown(row);
  }

  async list(tenantId: number): Promise<object> {
    return { inboxes: (await this.db.read<InboxRow>(INBOXES, [tenantId, null])).map((row) => this.shown(row)) };
  }

  /** @throws RestError 404 inbox_not_found */
  async one(tenantId: number, id: string): Promise<object> {
    const [row] = await this.db.read<InboxRow>(INBOXES, [tenantId, id]);
    if (!row) throw new RestError(404, 'inbox_not_found');
    return this.shown(row);
  }

  /** One, or all. @throws RestError 404 inbox_not_found */
  async remove(tenantId: number, id: string | null): Promise<void> {
    const gone = await this.db.run(DELETE_INBOXES, [tenantId, id]);
    if (id !== null && gone.length === 0) throw new RestError(404, 'inbox_not_found');
  }

  /** A request from outside. @throws RestError 404 inbox_not_found, 429 ratelimited, 503 service_unavailable */
  async take(secret: string, request: InboxRequest): Promise<PlainAnswer> {
    const inbox = await this.require(secret);
    const { allowed, retryAfterMs } = await this.limits.take(`inbox:${inbox.id}`, A_MINUTE);
    if (!allowed) throw new RestError(429, 'ratelimited', Math.max(1, Math.ceil(retryAfterMs / 1000)));
    return this.answer(inbox, request);
  }

  /** @throws RestError 404 inbox_not_found */
  async require(secret: string): Promise<FoundInbox> {
    const [inbox] = await this.db.read<FoundInbox>(FIND_INBOX, [secret, null, null]);
    if (!inbox) throw new RestError(404, 'inbox_not_found');
    return inbox;
  }

  /** A sandbox's request to one of its own inboxes; null for any other address. */
  async takeInside(url: URL, { from, headers, body }: InternalRequest): Promise<PlainAnswer | null> {
    const secret = PATH.exec(url.pathname)?.[1];
    if (secret === undefined) return null;
    const values = [secret, 'tenantId' in from ? from.tenantId : null, 'workspaceId' in from ? from.workspaceId : null];
    const [inbox] = await this.db.read<FoundInbox>(FIND_INBOX, values);
    if (!inbox) return null;
    const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    return this.answer(inbox, { method: 'POST', query: url.search.slice(1), headers: lower, body: Buffer.from(body) });
  }

  private async answer(inbox: FoundInbox, request: InboxRequest): Promise<PlainAnswer> {
    const waiting = this.waiting.get(inbox.tenant_id) ?? 0;
    if (waiting >= MAX_WAITING) throw new RestError(503, 'service_unavailable', 1);
    this.waiting.set(inbox.tenant_id, waiting + 1);
    try {
      const wallMs = this.clock.wallMs();
      const challenge = challengeOf(request.body);
      const stored = await this.answerTo(inbox, challenge !== undefined);
      const ids = idSpaceOf(inbox.id_key);
      const answer = ids ? eachText(stored, (text) => ids.outside(text)) : stored;
      await this.record(inbox, request, answer.status, wallMs);
      const { delay_ms: delayMs = 0 } = answer;
      if (delayMs > 0) {
        const { signal } = this.stopped;
        await outside(() => sleep(delayMs, undefined, { signal }).catch(() => undefined));
      }
      const isHandshake = answer.challenge === true && challenge !== undefined;
      return inboxAnswer({ type: 'http', ...answer, ...(isHandshake && { body: JSON.stringify({ challenge }) }) });
    } finally {
      const left = (this.waiting.get(inbox.tenant_id) ?? 1) - 1;
      if (left > 0) this.waiting.set(inbox.tenant_id, left);
      else this.waiting.delete(inbox.tenant_id);
    }
  }

  private async answerTo(inbox: FoundInbox, isHandshake: boolean): Promise<InboxAnswer> {
    if (isHandshake && inbox.challenge) return { status: 200, challenge: true };
    const [turn] = await this.db.run<{ answer: InboxAnswer }>(TAKE_TURN, [inbox.id]);
    return turn?.answer ?? { status: 200 };
  }

  private async record(
    inbox: FoundInbox,
    { method, query, headers, body }: InboxRequest,
    status: number,
    wallMs: number,
  ): Promise<void> {
    const secrets = await this.db.read<{ id: string; secret: string }>(SIGNING_SECRETS, [inbox.tenant_id]);
    const verified = await signedBy(headers, body, secrets);
    const ids = idSpaceOf(inbox.id_key);
    const inside = <T>(value: T): T => (ids ? eachText(value, (text) => ids.inside(text)) : value);
    this.recorder.addLater(inbox.tenant_id, () => {
      const kept = keepBody(ids ? inside(body.toString('utf8')) : body, headers['content-type'] ?? '');
      const fields = query === '' ? '' : `,"query":${keepValue(inside(redactFields(new URLSearchParams(query)))).json}`;
      const message = keepMessage({ headers: inside(headers) }, kept);
      return {
        tenantId: inbox.tenant_id,
        atMs: null,
        wallMs,
        kind: 'received',
        head: {
          inbox: inbox.id,
          ...(inbox.name !== null && { name: redactText(inbox.name) }),
          verified,
          status,
          ...(kept.cutFrom !== undefined && { truncated: true, length: kept.cutFrom }),
        },
        body: { request: `{"method":${JSON.stringify(method)}${fields},${message.slice(1)}` },
      };
    });
  }

  private shown({ id, name, secret, answers, challenge, served, created_at: createdAt }: InboxRow): object {
    return {
      id,
      url: `${this.publicUrl.base}/in/${secret}`,
      ...(name !== null && { name }),
      answers,
      ...(challenge && { challenge }),
      received: served,
      created: Math.floor(createdAt.getTime() / 1000),
    };
  }
}
